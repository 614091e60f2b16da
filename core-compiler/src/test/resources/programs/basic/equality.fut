-- Equality of compound values.
-- ==
-- input { [1i32, 2i32] [1i32, 2i32] } output { true false }
-- input { [1i32, 2i32] [1i32, 3i32] } output { false true }

-- ==
-- entry: tuples
-- input { 1i32 true } output { true false }

def main [n] (xs: [n]i32) (ys: [n]i32) = (xs == ys, xs != ys)
entry tuples (x: i32) (b: bool) = ((x, b) == (1, true), (x, b) == (2, true))
