-- Sizes that only values tell.
-- ==
-- entry: opaque_pair
-- input { [1i32, -2i32, 3i32] } output { [1i32, 3i32] 2i64 }

-- ==
-- entry: loop_filter
-- input { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32, 8i32] } output { [8i32] }

-- ==
-- entry: branch
-- input { true 3i64 } output { [0i64, 1i64, 2i64] }
-- input { false 3i64 } output { [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] }

-- ==
-- entry: chunks
-- input { 3i64 [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] } output { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] }

-- ==
-- entry: concat_filter
-- input { [1i32, -2i32, 3i32] } output { [1i32, 3i32, -2i32] }

-- ==
-- entry: returned
-- input { 2i64 } output { [[0i64, 1i64], [0i64, 1i64]] }

-- ==
-- entry: sum_of_sizes
-- input { [1i32, 2i32] [3i32] } output { 3i64 }

-- ==
-- entry: unit_arrays
-- input { 3i64 } output { 3i64 }

entry opaque_pair (xs: []i32) =
  let ys = filter (> 0) xs
  in (ys, length ys)

entry loop_filter (xs: []i32) =
  loop xs while length xs > 1 do
    let ys = map (\i -> xs[2 * i + 1]) (iota (length xs / 2))
    in ys

def upto (n: i64) : []i64 = iota n

entry branch (b: bool) (n: i64) = if b then upto n else upto (2 * n)

entry chunks [n] (k: i64) (xs: [n]i32) : [][]i32 =
  let m = n / k
  in unflatten (xs :> [m * k]i32)

entry concat_filter (xs: []i32) =
  let pos = filter (> 0) xs
  let neg = filter (<= 0) xs
  in pos ++ neg

def square (n: i64) : [n][n]i64 = replicate n (iota n)
entry returned (n: i64) = square n

def both [n] [m] (_: [n]i32) (_: [m]i32) : i64 = n + m
entry sum_of_sizes (xs: []i32) (ys: []i32) = both xs ys

entry unit_arrays (n: i64) = length (replicate n ())
