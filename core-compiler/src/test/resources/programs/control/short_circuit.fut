-- What is not asked for is not evaluated; what fails names its place.
-- ==
-- entry: and_also
-- input { [1i32] 3i64 } output { false }

-- ==
-- entry: divided
-- input { 1i32 0i32 } output { 0i32 }
-- input { 6i32 3i32 } output { 2i32 }

-- ==
-- entry: in_map
-- input { [1i32, 0i32] } error: zero

entry and_also (xs: []i32) (i: i64) = i < length xs && xs[i] > 0
entry divided (x: i32) (y: i32) = if y == 0 then 0 else x / y
entry in_map (xs: []i32) = map (10 /) xs
