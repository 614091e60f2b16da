-- Conditionals, also over tuples and arrays.
-- ==
-- entry: scalar
-- input { 1i32 2i32 } output { 2i32 }
-- input { 3i32 2i32 } output { 3i32 }

-- ==
-- entry: tuple
-- input { true [1i32, 2i32] } output { 2i32 [1i32, 2i32] }
-- input { false [1i32, 2i32] } output { 0i32 [3i32, 3i32] }

-- ==
-- entry: sizes
-- input { true [1i32, 2i32] [3i32] } output { [1i32, 2i32] }
-- input { false [1i32, 2i32] [3i32] } output { [3i32] }

-- ==
-- entry: chain
-- input { 5i32 } output { 1i32 }
-- input { -5i32 } output { -1i32 }
-- input { 0i32 } output { 0i32 }

-- ==
-- entry: guarded
-- input { [1i32] 0i64 } output { 1i32 }
-- input { [1i32] 7i64 } output { -1i32 }

entry scalar (x: i32) (y: i32) = if x > y then x else y
entry tuple (b: bool) (xs: []i32) = if b then (2i32, xs) else (0, map (\_ -> 3) xs)
entry sizes [n] [m] (b: bool) (xs: [n]i32) (ys: [m]i32) : []i32 = if b then xs else ys
entry chain (x: i32) = if x > 0 then 1i32 else if x < 0 then -1 else 0
entry guarded (xs: []i32) (i: i64) = if i >= 0 && i < length xs then xs[i] else -1
