-- Loops of all forms.
-- ==
-- entry: for_loop
-- input { 5i32 } output { 120i32 }
-- input { 0i32 } output { 1i32 }
-- input { -3i32 } output { 1i32 }

-- ==
-- entry: for_in
-- input { [1i32, 2i32, 3i32] } output { 123i32 }

-- ==
-- entry: while_loop
-- input { 27i32 } output { 111i32 }

-- ==
-- entry: fib
-- input { 10i32 } output { 55i32 }

-- ==
-- entry: growing
-- input { 3i64 } output { [0i64, 1i64, 2i64] }
-- input { 0i64 } output { empty([0]i64) }

-- ==
-- entry: arrays
-- input { 3i32 [1f64, 2f64] } output { [8f64, 16f64] }

-- ==
-- entry: nested
-- input { 3i64 4i64 } output { 17i64 }

-- ==
-- entry: halving
-- input { [1i32, 2i32, 3i32, 4i32] } output { 10i32 }

-- ==
-- entry: pairs_in
-- input { [1i32, 2i32] [3i32, 4i32] } output { 11i32 }

-- ==
-- entry: inherits
-- input { 3i32 } output { 6i32 }

entry for_loop (n: i32) = loop acc = 1 for i < n do acc * (i + 1)

entry for_in (xs: []i32) = loop acc = 0 for x in xs do 10 * acc + x

entry while_loop (n: i32) =
  let (_, steps) =
    loop (x, k) = (n, 0i32) while x != 1 do
      (if x % 2 == 0 then x / 2 else 3 * x + 1, k + 1)
  in steps

entry fib (n: i32) = (loop (a, b) = (0i32, 1i32) for _i < n do (b, a + b)).0

entry growing (n: i64) = loop xs = [] for i < n do xs ++ [i]

entry arrays (n: i32) (xs: []f64) = loop xs for _i < n do map (* 2) xs

entry nested (n: i64) (m: i64) =
  loop acc = 0 for i < n do
    loop acc for j < m do
      if i < j then acc + i * j else acc + 1

entry halving (xs: []i32) =
  let ys = loop ys = xs while length ys > 1 do
    let k = length ys / 2
    in map2 (+) (take k ys) (take k (drop k ys))
  in ys[0]

entry pairs_in [n] (xs: [n]i32) (ys: [n]i32) =
  loop acc = 0 for (x, y) in zip xs ys do acc + x * y

entry inherits (n: i32) =
  let acc = 0i32
  in loop acc for i < n do acc + 2
