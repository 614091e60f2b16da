-- In-place updates of what is not an array of numbers.
-- ==
-- entry: tuples
-- input { 3i64 } output { [0i32, 5i32, 0i32] [false, true, false] }

-- ==
-- entry: record_field
-- input { 2i64 } output { [9i32, 0i32] 1i32 }

-- ==
-- entry: two_dimensional
-- input { 2i64 } output { [[0i32, 0i32], [7i32, 0i32]] }

-- ==
-- entry: column
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[9i32, 2i32], [8i32, 4i32]] }

-- ==
-- entry: in_lambda
-- input { 2i64 } output { [[0i64, 5i64], [1i64, 5i64]] }

-- ==
-- entry: swapped
-- input { [1i32, 2i32, 3i32] 0i64 2i64 } output { [3i32, 2i32, 1i32] }

-- ==
-- entry: sums
-- input { 2i64 } output { [0i32, 4i32] }

-- ==
-- entry: branches
-- input { true [1i32, 2i32] } output { [5i32, 2i32] }
-- input { false [1i32, 2i32] } output { [1i32, 2i32] }

entry tuples (n: i64) =
  let ps = replicate n (0i32, false)
  let ps[1] = (5, true)
  in unzip ps

entry record_field (n: i64) =
  let r = {a = replicate n 0i32, b = 1i32}
  let a = copy r.a with [0] = 9
  let r = r with a = a
  in (r.a, r.b)

entry two_dimensional (n: i64) =
  let xs = replicate n (replicate n 0i32)
  in xs with [1, 0] = 7

entry column (xs: *[][]i32) = xs with [:, 0] = map (10 -) (map i32.i64 (map (+ 1) (indices xs)))

entry in_lambda (n: i64) =
  map (\i -> let xs = replicate 2 i in xs with [1] = 5) (iota n)

entry swapped [n] (xs: *[n]i32) (i: i64) (j: i64) =
  let x = xs[i]
  let y = xs[j]
  let xs[i] = y
  let xs[j] = x
  in xs

type opt = #some i32 | #none
entry sums (n: i64) =
  let xs = replicate n (#none : opt)
  let xs[1] = #some 4
  in map (\x -> match x case #some v -> v case #none -> 0) xs

entry branches (b: bool) (xs: *[]i32) =
  if b then xs with [0] = 5 else xs
