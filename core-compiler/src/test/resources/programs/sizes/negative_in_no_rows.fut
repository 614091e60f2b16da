-- Rows that don't exist have a negative size.
-- ==
-- input { 2i64 empty([0]f64) } output { empty([0][2]i64) }
-- input { -3i64 empty([0]f64) } error: (negative size|larger than any memory)
-- input { -3i64 [1.0] } error: (negative size|larger than any memory)

entry main [n] (c: i64) (ys: [n]f64) = map (\_ -> iota c) ys
