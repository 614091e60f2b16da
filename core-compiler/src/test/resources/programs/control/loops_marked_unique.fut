-- A loop's parameter may be marked as unique though no iteration consumes it; then it may start
-- with what is not the loop's own.

-- ==
-- entry: fresh
-- input { [1, 2, 3] } output { [4, 5, 6] [1, 2, 3] }

entry fresh (xs: []i32) = (loop (ys: *[]i32) = xs for _i < 3 do map (+ 1) ys, xs)

-- ==
-- entry: kept
-- input { [1, 2, 3] } output { [1, 2, 3] 3 }

entry kept (xs: []i32) = loop (ys: *[]i32, k: i32) = (xs, 0) for _i < 3 do (ys, k + 1)

-- ==
-- entry: part
-- input { [1, 2, 3] } output { [4, 7, 5] [6, 6, 6] [1, 2, 3] }

entry part [n] (xs: [n]i32) =
  let (a, b) =
    loop (a: *[n]i32, b: *[n]i32) = (replicate n 0, xs) for i < 3 do
      (a with [i] = b[0] + 3 - i32.i64 i * 2, map (const 6) b)
  in (a, b, xs)
