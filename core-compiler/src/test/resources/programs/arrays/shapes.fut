-- Functions that change the shape of an array.
-- ==
-- entry: transposed
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [[1i32, 4i32], [2i32, 5i32], [3i32, 6i32]] }

-- ==
-- entry: flat
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [1i32, 2i32, 3i32, 4i32] }

-- ==
-- entry: cut
-- input { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] } output { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] }

-- ==
-- entry: joined
-- input { [1i32, 2i32] [3i32] } output { [1i32, 2i32, 3i32] }

-- ==
-- entry: joined_rows
-- input { [[1i32, 2i32]] [[3i32, 4i32], [5i32, 6i32]] } output { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] }

-- ==
-- entry: turned
-- input { [1i32, 2i32, 3i32, 4i32] } output { [2i32, 3i32, 4i32, 1i32] [4i32, 1i32, 2i32, 3i32] [4i32, 3i32, 2i32, 1i32] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: parts
-- input { [1i32, 2i32, 3i32, 4i32] } output { 1i32 4i32 [2i32, 3i32, 4i32] [1i32, 2i32, 3i32] }

-- ==
-- entry: taken
-- input { 1i64 [1i32, 2i32, 3i32] } output { [1i32] [2i32, 3i32] }
-- input { 4i64 [1i32, 2i32, 3i32] } error:

-- ==
-- entry: filled
-- input { 2i64 3i64 7i32 } output { [[7i32, 7i32, 7i32], [7i32, 7i32, 7i32]] }
-- input { -1i64 3i64 7i32 } error:

-- ==
-- entry: tables
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [10i64, 11i64, 12i64]] }

entry transposed (xs: [][]i32) = transpose xs
entry flat (xs: [][]i32) = flatten xs
entry cut (xs: [6]i32) : [2][3]i32 = unflatten (xs :> [2 * 3]i32)
entry joined (xs: []i32) (ys: []i32) = xs ++ ys
entry joined_rows [m] (xs: [][m]i32) (ys: [][m]i32) = concat xs ys
entry turned (xs: []i32) = (rotate 1 xs, rotate (-1) xs, reverse xs)
entry parts (xs: []i32) = (head xs, last xs, tail xs, init xs)
entry taken (n: i64) (xs: []i32) = (take n xs, drop n xs)
entry filled (n: i64) (m: i64) (x: i32) = replicate n (replicate m x)
entry tables (n: i64) (m: i64) = tabulate_2d n m (\i j -> 10 * i + j)
