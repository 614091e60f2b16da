-- The size of a loop's value changes in one branch of the body only.
-- ==
-- entry: unary
-- input { 12 } output { "xii" }
-- input { 0 } output { "" }
-- ==
-- entry: rows
-- input { 3i64 } output { [[0i64, 1i64], [2i64, 1i64]] }
-- ==
-- entry: swapped
-- input { [1, 2] true } output { [2, 3] [1, 2] }

entry unary (n: i32) =
  let (text, _) =
    loop (text, left) = ("", n) while left > 0 do
      if left >= 10
      then (text ++ "x", left - 10)
      else if left >= 1 then (text ++ "i", left - 1) else (text, left)
  in text

entry rows (n: i64) =
  let (kept, _) =
    loop (kept, row) = ([], [0, 1]) for i < n do
      (if i % 2 == 0 then kept ++ [row] else kept, [i + 1, 1])
  in kept

entry swapped [n] (xs: [n]i32) (b: bool) =
  loop (a, c) = (xs, map (+ 1) xs) for _i < 3 do if b then (c, a) else (a, c)
