-- Ranges.
-- ==
-- entry: below
-- input { 4i64 } output { [0i64, 1i64, 2i64, 3i64] }
-- input { 0i64 } output { empty([0]i64) }
-- input { -1i64 } error:

-- ==
-- entry: inclusive
-- input { 2i32 5i32 } output { [2i32, 3i32, 4i32, 5i32] }

-- ==
-- entry: steps
-- input { 0i32 10i32 } output { [0i32, 3i32, 6i32, 9i32] [0i32, 5i32, 10i32] }

-- ==
-- entry: down
-- input { 5i32 } output { [5i32, 4i32, 3i32, 2i32, 1i32] [5i32, 3i32, 1i32] }

entry below (n: i64) = 0..<n
entry inclusive (a: i32) (b: i32) = a...b
entry steps (a: i32) (b: i32) = (a..3..<b, a..5...b)
entry down (a: i32) = (a..>0, a..(a - 2)...1)
