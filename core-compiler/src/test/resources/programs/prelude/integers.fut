-- The functions of the integer modules.
-- ==
-- entry: bounds
-- input {} output { 127i8 -128i8 255u8 0u8 2147483647i32 -9223372036854775808i64 }

-- ==
-- entry: bits
-- input { 12i32 } output { 2i32 28i32 2i32 32i32 }

-- ==
-- entry: single_bits
-- input { 5i32 } output { 1i32 0i32 7i32 4i32 }

-- ==
-- entry: folds
-- input { [3i32, 1i32, 2i32] } output { 6i32 6i32 3i32 1i32 }
-- input { empty([0]i32) } output { 0i32 1i32 -2147483648i32 2147483647i32 }

-- ==
-- entry: signs
-- input { -5i32 } output { 5i32 -1i32 5i32 4i32 }

-- ==
-- entry: operators
-- input { 7i64 2i64 } output { 9i64 true false 3i64 }

-- ==
-- entry: high
-- input { 0x40000000i32 } output { 1i32 2i32 }

entry bounds = (i8.highest, i8.lowest, u8.highest, u8.lowest, i32.highest, i64.lowest)
entry bits (x: i32) = (i32.popc x, i32.clz x, i32.ctz x, i32.num_bits)
entry single_bits (x: i32) = (i32.get_bit 0 x, i32.get_bit 1 x, i32.set_bit 1 x 1, i32.set_bit 0 x 0)
entry folds (xs: []i32) = (i32.sum xs, i32.product xs, i32.maximum xs, i32.minimum xs)
entry signs (x: i32) = (i32.abs x, i32.sgn x, i32.neg x, i32.not x)
entry high (x: i32) = (i32.mul_hi x 4, i32.mad_hi x 4 1)
entry operators (x: i64) (y: i64) = ((i64.+) x y, (i64.>) x y, (i64.==) x y, (i64./) x y)
