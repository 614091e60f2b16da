-- Float edge cases.
-- ==
-- entry: rnd
-- input { 0.5f32 } output { 0f32 1f32 0f32 0f32 }
-- input { 1.5f32 } output { 2f32 2f32 1f32 1f32 }
-- input { 2.5f32 } output { 2f32 3f32 2f32 2f32 }
-- input { -0.5f32 } output { 0f32 0f32 -1f32 0f32 }
-- input { -1.5f32 } output { -2f32 -1f32 -2f32 -1f32 }
-- input { f32.nan } output { f32.nan f32.nan f32.nan f32.nan }
-- input { f32.inf } output { f32.inf f32.inf f32.inf f32.inf }
entry rnd (x: f32) = (f32.round x, f32.ceil x, f32.floor x, f32.trunc x)
-- ==
-- entry: minmax
-- input { 1f32 f32.nan } output { 1f32 1f32 }
-- input { f32.nan 1f32 } output { 1f32 1f32 }
-- input { f32.nan f32.nan } output { f32.nan f32.nan }
-- input { f32.inf -f32.inf } output { -f32.inf f32.inf }
entry minmax (x: f32) (y: f32) = (f32.min x y, f32.max x y)
-- ==
-- entry: toint
-- input { 3.99f32 } output { 3i8 3i32 3i64 3u8 3u64 }
-- input { f32.nan } output { 0i8 0i32 0i64 0u8 0u64 }
-- input { -3f32 } output { -3i8 -3i32 -3i64 253u8 18446744073709551613u64 }
entry toint (x: f32) = (i8.f32 x, i32.f32 x, i64.f32 x, u8.f32 x, u64.f32 x)
-- ==
-- entry: mods
-- input { 7.5f64 2f64 } output { 1.5f64 }
entry mods (x: f64) (y: f64) = x % y
-- ==
-- entry: pw
-- input { 2f64 -1f64 } output { 0.5f64 }
-- input { -8f64 0.333f64 } output { f64.nan }
-- input { 0f64 0f64 } output { 1f64 }
-- input { 2f64 0.5f64 } output { 1.41421356f64 }
entry pw (x: f64) (y: f64) = x ** y
-- ==
-- entry: div0
-- input { 1f64 0f64 } output { f64.inf }
-- input { -1f64 0f64 } output { -f64.inf }
-- input { 0f64 0f64 } output { f64.nan }
entry div0 (x: f64) (y: f64) = x / y
-- ==
-- entry: cmpnan
-- input { f64.nan 1f64 } output { false false false false false true }
-- input { f64.nan f64.nan } output { false false false false false true }
entry cmpnan (x: f64) (y: f64) = (x < y, x > y, x <= y, x >= y, x == y, x != y)
-- ==
-- entry: sgn
-- input { -3f32 } output { -1f32 3f32 3f32 }
-- input { 0f32 } output { 0f32 0f32 0f32 }
entry sgn (x: f32) = (f32.sgn x, f32.abs x, f32.neg x)
-- ==
-- entry: bits
-- input { 1f64 } output { 0x3ff0000000000000u64 1f64 1i32 0i32 -1f64 }
entry bits (x: f64) = (f64.to_bits x, f64.from_bits (f64.to_bits x), f64.get_bit 52 x, f64.get_bit 63 x, f64.set_bit 63 x 1)
-- ==
-- entry: bits16
-- input { 1f16 } output { 0x3c00u16 1f16 -1f16 }
entry bits16 (x: f16) = (f16.to_bits x, f16.from_bits 0x3c00, f16.set_bit 15 x 1)
-- ==
-- entry: f16arith
-- input { 2048f16 1f16 } output { 2048f16 2048f16 2048f16 }
-- input { 65504f16 16f16 } output { f16.inf f16.inf 4094f16 }
entry f16arith (x: f16) (y: f16) = (x + y, x * y, x / y)
-- ==
-- entry: f16conv
-- input { 0.1f32 } output { 0.099975586f16 0.099975586f32 }
-- input { 65520f32 } output { f16.inf f32.inf }
-- input { 5.960464477539063e-8f32 } output { 5.960464477539063e-8f16 5.960464477539063e-8f32 }
-- input { 1e-8f32 } output { 0f16 0f32 }
entry f16conv (x: f32) = (f16.f32 x, f32.f16 (f16.f32 x))
-- ==
-- entry: f16bits
-- input { 0.1f32 } output { 0x2e66u16 }
-- input { 2049f32 } output { 0x6800u16 }
-- input { 2051f32 } output { 0x6802u16 }
entry f16bits (x: f32) = f16.to_bits (f16.f32 x)
-- ==
-- entry: f16fun
-- input { 0.5f16 } output { 0.4794f16 0.8776f16 0.5463f16 1.6487f16 -0.6931f16 0.7071f16 }
entry f16fun (x: f16) = (f16.sin x, f16.cos x, f16.tan x, f16.exp x, f16.log x, f16.sqrt x)
-- ==
-- entry: f16red
-- input { [1f16,2f16,3f16] } output { 6f16 6f16 3f16 1f16 }
-- input { empty([0]f16) } output { 0f16 1f16 -f16.inf f16.inf }
entry f16red (xs: []f16) = (f16.sum xs, f16.product xs, f16.maximum xs, f16.minimum xs)
-- ==
-- entry: empties
-- input { empty([0]f64) } output { 0f64 1f64 -f64.inf f64.inf }
entry empties (xs: []f64) = (f64.sum xs, f64.product xs, f64.maximum xs, f64.minimum xs)
-- ==
-- entry: trig
-- input { 0.5f64 } output { 0.5235987755982989f64 1.0471975511965979f64 0.4636476090008061f64 0.5210953054937474f64 1.1276259652063807f64 0.46211715726000973f64 0.48121182505960347f64 0.5493061443340548f64 }
entry trig (x: f64) = (f64.asin x, f64.acos x, f64.atan x, f64.sinh x, f64.cosh x, f64.tanh x, f64.asinh x, f64.atanh x)
-- ==
-- entry: pis
-- input { 0.25f64 } output { 0.7071067811865475f64 0.7071067811865476f64 1f64 0.08043056949f64 0.41956943f64 0.07797913037f64 }
entry pis (x: f64) = (f64.sinpi x, f64.cospi x, f64.tanpi x, f64.asinpi x, f64.acospi x, f64.atanpi x)
-- ==
-- entry: atan2s
-- input { 1f64 -1f64 } output { 2.356194490192345f64 0.75f64 1.4142135623730951f64 }
entry atan2s (y: f64) (x: f64) = (f64.atan2 y x, f64.atan2pi y x, f64.hypot y x)
-- ==
-- entry: exps
-- input { 3f64 } output { 8f64 1000f64 19.085536923187668f64 1.3862943611198906f64 1.584962500721156f64 0.47712125471966244f64 1.4422495703074083f64 0.5773502691896258f64 1.762747174039086f64 }
entry exps (x: f64) = (f64.exp2 x, f64.exp10 x, f64.expm1 x, f64.log1p x, f64.log2 x, f64.log10 x, f64.cbrt x, f64.rsqrt x, f64.acosh x)
-- ==
-- entry: gammas
-- input { 5f64 } output { 24f64 3.1780538303479458f64 }
entry gammas (x: f64) = (f64.gamma x, f64.lgamma x)
-- ==
-- entry: erfs
-- input { 1f32 } output { 0.84270079f32 0.15729921f32 }
entry erfs (x: f32) = (f32.erf x, f32.erfc x)
-- ==
-- entry: nexts
-- input { 1f32 2f32 } output { 0x3f800001u32 -1f32 8f32 }
entry nexts (x: f32) (y: f32) = (f32.to_bits (f32.nextafter x y), f32.copysign x (-y), f32.ldexp x 3)
-- ==
-- entry: eps
-- input {} output { 1.1920929e-7f32 2.220446049250313e-16f64 true }
entry eps = (f32.epsilon, f64.epsilon, f16.epsilon == 0.0009765625)
-- ==
-- entry: consts
-- input {} output { 3.14159265f32 2.71828182f32 3.140625f16 true true true true }
entry consts = (f32.pi, f32.e, f16.pi, f32.isnan f32.nan, f64.isinf f64.inf, f16.isnan f16.nan, f16.isinf (-f16.inf))
-- ==
-- entry: fmas
-- input { 2f32 3f32 4f32 } output { 10f32 10f32 }
entry fmas (x: f32) (y: f32) (z: f32) = (f32.fma x y z, f32.mad x y z)
-- ==
-- entry: convs
-- input { 1.1f64 } output { 1.1f32 1.0996094f16 1.1f64 1i64 }
entry convs (x: f64) = (f32.f64 x, f16.f64 x, f64.f64 x, f64.to_i64 x)
-- ==
-- entry: neg0
-- input {} output { 0x80000000u32 -f32.inf true }
entry neg0 = let z = -0.0f32 in (f32.to_bits z, 1 / z, z == 0)
-- ==
-- entry: lits
-- input {} output { [1f32, 0.5f32, 1000f32, 0.001f32, 16f32, 0.5f32, 1000000f32] }
entry lits : []f32 = [1, 0.5, 1e3, 1e-3, 0x1p4, 0x0.8p0, 1_000_000]
-- ==
-- entry: ilits
-- input {} output { [255i64, 10i64, 1000000i64, 97i64] }
entry ilits : []i64 = [0xff, 0b1010, 1_000_000, 'a']
-- ==
-- entry: nanpow
-- input {} output { f32.inf 0f32 f32.nan }
entry nanpow = (f32.exp 1000, f32.exp (-1000), f32.sqrt (-1))
-- ==
-- entry: logs
-- input { 0f32 } output { -f32.inf }
-- input { -1f32 } output { f32.nan }
entry logs (x: f32) = f32.log x
-- ==
-- entry: fromfr
-- input { 1i64 3i64 } output { 0.33333334f32 0.3333333333333333f64 0.3333f16 }
entry fromfr (a: i64) (b: i64) = (f32.from_fraction a b, f64.from_fraction a b, f16.from_fraction a b)
