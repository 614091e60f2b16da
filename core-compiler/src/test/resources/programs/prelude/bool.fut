-- The bool module.
-- ==
-- entry: ops
-- input { true false } output { false true false true true false true }
entry ops (x: bool) (y: bool) = (x && y, x || y, x == y, x != y, x > y, x < y, x >= y)
-- ==
-- entry: conv
-- input { 2.5f64 3i8 } output { true true false }
entry conv (x: f64) (y: i8) = (bool.f64 x, bool.i8 y, bool.u8 0)
-- ==
-- entry: not
-- input { true } output { false false }
entry not (x: bool) = (!x, bool.not x)
-- ==
-- entry: eq
-- input { [true, false] [true, true] } output { [true, false] }
entry eq [n] (xs: [n]bool) (ys: [n]bool) = map2 (bool.==) xs ys
