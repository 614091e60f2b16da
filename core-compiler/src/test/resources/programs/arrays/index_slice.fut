-- Indices and slices.
-- ==
-- entry: at
-- input { [1i32, 2i32, 3i32] 1i64 } output { 2i32 }
-- input { [1i32, 2i32, 3i32] 3i64 } error: bounds
-- input { [1i32, 2i32, 3i32] -1i64 } error: bounds

-- ==
-- entry: row
-- input { [[1i32, 2i32], [3i32, 4i32]] 1i64 } output { [3i32, 4i32] 4i32 }

-- ==
-- entry: slice
-- input { [1i32, 2i32, 3i32, 4i32] 1i64 3i64 } output { [2i32, 3i32] }
-- input { [1i32, 2i32, 3i32, 4i32] 2i64 2i64 } output { empty([0]i32) }
-- input { [1i32, 2i32, 3i32, 4i32] 3i64 2i64 } error: bounds
-- input { [1i32, 2i32, 3i32, 4i32] 1i64 5i64 } error: bounds

-- ==
-- entry: ends
-- input { [1i32, 2i32, 3i32, 4i32] 1i64 } output { [2i32, 3i32, 4i32] [1i32] }

-- ==
-- entry: strided
-- input { [1i32, 2i32, 3i32, 4i32, 5i32] } output { [1i32, 3i32, 5i32] [2i32, 4i32] }

-- ==
-- entry: backwards
-- input { [1i32, 2i32, 3i32] } output { [3i32, 2i32, 1i32] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: any_stride
-- input { [1i32, 2i32, 3i32, 4i32] 2i64 } output { [1i32, 3i32] }
-- input { [1i32, 2i32, 3i32, 4i32] -1i64 } output { [4i32, 3i32, 2i32, 1i32] }
-- input { [1i32, 2i32, 3i32, 4i32] 0i64 } error:

-- ==
-- entry: columns
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [2i32, 5i32] [[2i32, 3i32], [5i32, 6i32]] }

entry at (xs: []i32) (i: i64) = xs[i]
entry row (xs: [][]i32) (i: i64) = (xs[i], xs[i, i])
entry slice (xs: []i32) (i: i64) (j: i64) = xs[i:j]
entry ends (xs: []i32) (i: i64) = (xs[i:], xs[:i])
entry strided (xs: []i32) = (xs[::2], xs[1::2])
entry backwards (xs: []i32) = xs[::-1]
entry any_stride (xs: []i32) (s: i64) = xs[::s]
entry columns (xs: [][]i32) = (xs[:, 1], xs[:, 1:])
