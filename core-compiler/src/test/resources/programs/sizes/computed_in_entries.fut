-- Sizes of an entry point's parameters may be computed from other parameters.
-- ==
-- entry: more
-- input { 1i64 [4i32, 5i32] } output { [4i32, 5i32] }
-- input { 1i64 [4i32] } error: size
entry more (x: i64) (xs: [x+1]i32) = xs

-- ==
-- entry: inner
-- input { [1i32, 2i32] [3i32, 4i32, 5i32] } output { [4i32, 6i32] 5i32 }
entry inner [n] (xs: [n]i32) (ys: [n+1]i32) = (map2 (+) xs ys[0:n], ys[n])

-- ==
-- entry: rows
-- input { 2i64 3i64 [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] } output { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] }
entry rows (n: i64) (m: i64) (xs: [n*m]i32) : [n][m]i32 = unflatten xs

-- ==
-- entry: set
-- input { 1i64 [4i32, 5i32] } output { [9i32, 5i32] }
entry set (x: i64) (xs: *[x+1]i32) : *[x+1]i32 = xs with [0] = 9

-- ==
-- entry: pair
-- input { 1i64 [4i32, 5i32] [true] } output { 6i64 }
entry pair (x: i64) (p: ([x+1]i32, [x]bool)) = x + length p.0 + length p.1 + 2

-- ==
-- entry: kept
-- input { 1i64 [4i32, -5i32] } output { [4i32] }
entry kept (x: i64) (xs: [x+1]i32) = filter (> 0) xs
