-- Integer edge cases.
-- ==
-- entry: shifts32
-- input { 1i32 31i32 } output { -2147483648i32 0i32 0i32 }
-- input { -1i32 31i32 } output { -2147483648i32 -1i32 1i32 }
-- input { -5i32 31i32 } output { -2147483648i32 -1i32 1i32 }
entry shifts32 (x: i32) (y: i32) = (x << y, x >> y, x >>> y)
-- ==
-- entry: shifts8
-- input { 1i8 7i8 } output { -128i8 0i8 0i8 }
-- input { -1i8 1i8 } output { -2i8 -1i8 127i8 }
-- input { -1i8 8i8 } output { 0i8 -1i8 0i8 }
entry shifts8 (x: i8) (y: i8) = (x << y, x >> y, x >>> y)
-- ==
-- entry: shiftsu8
-- input { 255u8 1u8 } output { 254u8 127u8 127u8 }
-- input { 255u8 8u8 } output { 0u8 0u8 0u8 }
entry shiftsu8 (x: u8) (y: u8) = (x << y, x >> y, x >>> y)
-- ==
-- entry: shiftsu64
-- input { 0xffffffffffffffffu64 1u64 } output { 0xfffffffffffffffeu64 0x7fffffffffffffffu64 0x7fffffffffffffffu64 }
entry shiftsu64 (x: u64) (y: u64) = (x << y, x >> y, x >>> y)
-- ==
-- entry: div32
-- input { 7i32 2i32 } output { 3i32 1i32 3i32 1i32 }
-- input { -7i32 2i32 } output { -4i32 1i32 -3i32 -1i32 }
-- input { 7i32 -2i32 } output { -4i32 -1i32 -3i32 1i32 }
-- input { -7i32 -2i32 } output { 3i32 -1i32 3i32 -1i32 }
-- input { 1i32 0i32 } error: division by zero
entry div32 (x: i32) (y: i32) = (x / y, x % y, x // y, x %% y)
-- ==
-- entry: divu8
-- input { 255u8 2u8 } output { 127u8 1u8 127u8 1u8 }
-- input { 255u8 0u8 } error: division by zero
entry divu8 (x: u8) (y: u8) = (x / y, x % y, x // y, x %% y)
-- ==
-- entry: mod0
-- input { 1i64 0i64 } error: division by zero
entry mod0 (x: i64) (y: i64) = x % y
-- ==
-- entry: quot0
-- input { 1i16 0i16 } error: division by zero
entry quot0 (x: i16) (y: i16) = x // y
-- ==
-- entry: rem0
-- input { 1u16 0u16 } error: division by zero
entry rem0 (x: u16) (y: u16) = x %% y
-- ==
-- entry: pow
-- input { 2i32 10i32 } output { 1024i32 }
-- input { -2i32 3i32 } output { -8i32 }
-- input { 0i32 0i32 } output { 1i32 }
-- input { 2i32 31i32 } output { -2147483648i32 }
-- input { 2i32 32i32 } output { 0i32 }
-- input { 3i32 -1i32 } error: .
entry pow (x: i32) (y: i32) = x ** y
-- ==
-- entry: powu8
-- input { 3u8 5u8 } output { 243u8 }
-- input { 3u8 6u8 } output { 217u8 }
-- input { 2u8 255u8 } output { 0u8 }
entry powu8 (x: u8) (y: u8) = x ** y
-- ==
-- entry: bitops
-- input { 12i32 10i32 } output { 8i32 14i32 6i32 -13i32 }
entry bitops (x: i32) (y: i32) = (x & y, x | y, x ^ y, !x)
-- ==
-- entry: counts8
-- input { 0u8 } output { 0i32 8i32 8i32 }
-- input { 1u8 } output { 1i32 7i32 0i32 }
-- input { 0x90u8 } output { 2i32 0i32 4i32 }
entry counts8 (x: u8) = (u8.popc x, u8.clz x, u8.ctz x)
-- ==
-- entry: counts8s
-- input { -1i8 } output { 8i32 0i32 0i32 }
-- input { 0i8 } output { 0i32 8i32 8i32 }
entry counts8s (x: i8) = (i8.popc x, i8.clz x, i8.ctz x)
-- ==
-- entry: counts16s
-- input { -32768i16 } output { 1i32 0i32 15i32 }
-- input { 256i16 } output { 1i32 7i32 8i32 }
entry counts16s (x: i16) = (i16.popc x, i16.clz x, i16.ctz x)
-- ==
-- entry: counts64
-- input { 0i64 } output { 0i32 64i32 64i32 }
-- input { -1i64 } output { 64i32 0i32 0i32 }
-- input { 4294967296i64 } output { 1i32 31i32 32i32 }
entry counts64 (x: i64) = (i64.popc x, i64.clz x, i64.ctz x)
-- ==
-- entry: mulhi8
-- input { 100i8 100i8 } output { 39i8 }
-- input { -100i8 100i8 } output { -40i8 }
entry mulhi8 (x: i8) (y: i8) = i8.mul_hi x y
-- ==
-- entry: mulhiu8
-- input { 200u8 200u8 } output { 156u8 }
entry mulhiu8 (x: u8) (y: u8) = u8.mul_hi x y
-- ==
-- entry: mulhiu64
-- input { 0xffffffffffffffffu64 0xffffffffffffffffu64 } output { 0xfffffffffffffffeu64 }
entry mulhiu64 (x: u64) (y: u64) = u64.mul_hi x y
-- ==
-- entry: mulhi64
-- input { -1i64 2i64 } output { -1i64 }
-- input { 4611686018427387904i64 8i64 } output { 2i64 }
entry mulhi64 (x: i64) (y: i64) = i64.mul_hi x y
-- ==
-- entry: madhi
-- input { 0x80000000u32 2u32 7u32 } output { 8u32 }
entry madhi (x: u32) (y: u32) (z: u32) = u32.mad_hi x y z
-- ==
-- entry: abs
-- input { -128i8 } output { -128i8 -1i8 -128i8 }
-- input { 5i8 } output { 5i8 1i8 -5i8 }
-- input { 0i8 } output { 0i8 0i8 0i8 }
entry abs (x: i8) = (i8.abs x, i8.sgn x, i8.neg x)
-- ==
-- entry: absu
-- input { 200u8 } output { 200u8 1u8 56u8 }
entry absu (x: u8) = (u8.abs x, u8.sgn x, u8.neg x)
-- ==
-- entry: negu
-- input { 1u32 } output { 4294967295u32 4294967294u32 }
entry negu (x: u32) = (-x, !x)
-- ==
-- entry: limits
-- input { } output { -128i8 127i8 -32768i16 32767i16 -2147483648i32 2147483647i32 -9223372036854775808i64 9223372036854775807i64 }
entry limits = (i8.lowest, i8.highest, i16.lowest, i16.highest, i32.lowest, i32.highest, i64.lowest, i64.highest)
-- ==
-- entry: limitsu
-- input { } output { 0u8 255u8 0u16 65535u16 0u32 4294967295u32 0u64 18446744073709551615u64 }
entry limitsu = (u8.lowest, u8.highest, u16.lowest, u16.highest, u32.lowest, u32.highest, u64.lowest, u64.highest)
-- ==
-- entry: numbits
-- input { } output { [8i32,16i32,32i32,64i32,8i32,16i32,32i32,64i32,16i32,32i32,64i32] }
entry numbits = [i8.num_bits,i16.num_bits,i32.num_bits,i64.num_bits,u8.num_bits,u16.num_bits,u32.num_bits,u64.num_bits,f16.num_bits,f32.num_bits,f64.num_bits]
-- ==
-- entry: trunc
-- input { 300i32 } output { 44i8 44u8 300i16 300u16 }
-- input { -1i32 } output { -1i8 255u8 -1i16 65535u16 }
entry trunc (x: i32) = (i8.i32 x, u8.i32 x, i16.i32 x, u16.i32 x)
-- ==
-- entry: extend
-- input { -1i8 } output { -1i16 255u16 -1i32 255u32 -1i64 255u64 }
entry extend (x: i8) = (i16.i8 x, u16.i8 x, i32.i8 x, u32.i8 x, i64.i8 x, u64.i8 x)
-- ==
-- entry: extendu
-- input { 255u8 } output { 255i16 255u16 255i32 255u32 255i64 255u64 -1i8 }
entry extendu (x: u8) = (i16.u8 x, u16.u8 x, i32.u8 x, u32.u8 x, i64.u8 x, u64.u8 x, i8.u8 x)
-- ==
-- entry: ofbool
-- input { true } output { 1i8 1u64 1f16 1f32 1f64 true }
-- input { false } output { 0i8 0u64 0f16 0f32 0f64 false }
entry ofbool (b: bool) = (i8.bool b, u64.bool b, f16.bool b, f32.bool b, f64.bool b, bool.bool b)
-- ==
-- entry: tobool
-- input { 0i32 } output { false false false }
-- input { 256i32 } output { true false true }
entry tobool (x: i32) = (bool.i32 x, bool.u8 (u8.i32 x), bool.f32 (f32.i32 x))
-- ==
-- entry: toi64
-- input { 255u8 4294967295u32 18446744073709551615u64 -1i8 } output { 255i64 4294967295i64 -1i64 -1i64 }
entry toi64 (a: u8) (b: u32) (c: u64) (d: i8) = (u8.to_i64 a, u32.to_i64 b, u64.to_i64 c, i8.to_i64 d)
-- ==
-- entry: cmpu
-- input { 255u8 1u8 } output { false true false true }
entry cmpu (x: u8) (y: u8) = (x < y, x > y, x <= y, x >= y)
-- ==
-- entry: cmpu64
-- input { 18446744073709551615u64 1u64 } output { false true 18446744073709551615u64 1u64 }
entry cmpu64 (x: u64) (y: u64) = (x < y, x > y, u64.max x y, u64.min x y)
-- ==
-- entry: maxs
-- input { [200u8, 100u8, 250u8] } output { 250u8 100u8 38u8 64u8 }
entry maxs (xs: []u8) = (u8.maximum xs, u8.minimum xs, u8.sum xs, u8.product xs)
-- ==
-- entry: divu64
-- input { 18446744073709551615u64 10u64 } output { 1844674407370955161u64 5u64 }
entry divu64 (x: u64) (y: u64) = (x / y, x % y)
-- ==
-- entry: minint
-- input { -2147483648i32 -1i32 } output { -2147483648i32 0i32 -2147483648i32 0i32 }
entry minint (x: i32) (y: i32) = (x / y, x % y, x // y, x %% y)
-- ==
-- entry: u64float
-- input { 18446744073709551615u64 } output { 18446744073709551616f64 18446744073709551616f32 }
-- input { 9223372036854775808u64 } output { 9223372036854775808f64 9223372036854775808f32 }
entry u64float (x: u64) = (f64.u64 x, f32.u64 x)
-- ==
-- entry: getbits
-- input { 0x80u8 } output { 1i32 0i32 0x81u8 0u8 }
entry getbits (x: u8) = (u8.get_bit 7 x, u8.get_bit 0 x, u8.set_bit 0 x 1, u8.set_bit 7 x 0)
