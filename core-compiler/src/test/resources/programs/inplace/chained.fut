-- An update of an update: the outer value may read the array that the inner one consumes.
-- ==
-- entry: chained
-- input { [1, 2, 3] } output { [9, 4, 3] }
entry chained (xs: *[3]i32) = xs with [0] = 9 with [1] = xs[0] + 3

-- ==
-- entry: by_index
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] 1i64 } output { [[1, 4, 3], [4, 1, 6], [7, 8, 9]] }
entry by_index (xs: *[3][3]i32) (i: i64) = xs with [i, i % 3] = 1 with [0, i] = xs[0, 1] + 2

-- ==
-- entry: called
-- input { [1, 2, 3] } output { [0, 5, 3] }
def clear (xs: *[3]i32) : *[3]i32 = xs with [0] = 0
entry called (xs: *[3]i32) = clear xs with [1] = xs[1] + xs[2]

-- ==
-- entry: of_units
-- input { 3i64 } output { 3i64 }
entry of_units (n: i64) = length (replicate n () with [0] = ())
