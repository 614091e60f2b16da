-- Entry points of all shapes.
-- ==
-- entry: record_argument
-- input { 1i32 2f64 } output { 2f64 1i32 }

-- ==
-- entry: array_of_pairs
-- input { [1i32, 2i32] [true, false] } output { [1i32, 2i32] }

-- ==
-- entry: sized_by_argument
-- input { 2i64 [1i32, 2i32] } output { 3i32 }
-- input { 3i64 [1i32, 2i32] } error: size

-- ==
-- entry: fixed
-- input { [1i32, 2i32, 3i32] } output { 6i32 }
-- input { [1i32, 2i32] } error: size

-- ==
-- entry: same_sizes
-- input { [1i32] [2i32] } output { [3i32] }
-- input { [1i32] [2i32, 3i32] } error: size

-- ==
-- entry: several
-- input { 1i32 } output { 1i32 }

type point = {x: i32, y: f64}

entry record_argument (p: point) = (p.y, p.x)
entry array_of_pairs (ps: [](i32, bool)) = map (.0) ps
entry sized_by_argument (n: i64) (xs: [n]i32) = i32.sum xs
entry fixed (xs: [3]i32) = i32.sum xs
entry same_sizes [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
entry several (x: i32) = x
