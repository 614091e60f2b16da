-- In-place updates.
-- ==
-- entry: one
-- input { [1i32, 2i32, 3i32] 1i64 9i32 } output { [1i32, 9i32, 3i32] }
-- input { [1i32, 2i32, 3i32] 3i64 9i32 } error: bounds

-- ==
-- entry: slice
-- input { [1i32, 2i32, 3i32] } output { [1i32, 7i32, 8i32] }

-- ==
-- entry: in_loop
-- input { 4i64 } output { [0i64, 1i64, 3i64, 6i64] }

-- ==
-- entry: row
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[1i32, 2i32], [0i32, 0i32]] }

-- ==
-- entry: let_with
-- input { 3i64 } output { [0i32, 5i32, 0i32] }

-- ==
-- entry: zipped
-- input { [1i32, 2i32] [3i32, 4i32] } output { [9i32, 2i32] [8i32, 4i32] [1i32, 2i32] }

-- ==
-- entry: copied
-- input { [1i32, 2i32] } output { [5i32, 2i32] [1i32, 2i32] }

entry one (xs: *[]i32) (i: i64) (x: i32) = xs with [i] = x

entry slice (xs: *[]i32) = xs with [1:3] = ([7, 8] :> [3 - 1]i32)

entry in_loop (n: i64) =
  loop xs = iota n for i in 1..<n do
    xs with [i] = xs[i - 1] + i

entry row (xss: *[][2]i32) = xss with [1] = [0, 0]

entry let_with (n: i64) =
  let xs = replicate n 0i32
  let xs[1] = 5
  in xs

entry zipped [n] (xs: [n]i32) (ys: [n]i32) =
  let zs = copy (zip xs ys)
  let zs = zs with [0] = (9, 8)
  let (a, b) = unzip zs
  in (a, b, xs)

entry copied (xs: []i32) =
  let ys = copy xs
  let ys = ys with [0] = 5
  in (ys, xs)
