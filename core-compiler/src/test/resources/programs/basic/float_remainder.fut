-- The remainder of floats has the dividend's sign, as C's fmod; what is not finite is 0 as an integer.
-- ==
-- entry: rem
-- input { [5.5f64, -5.5f64, 5.5f64, -5.5f64, 0.0f64, 7.0f64] [2.0f64, 2.0f64, -2.0f64, -2.0f64, 3.0f64, 7.0f64] }
-- output { [1.5f64, -1.5f64, 1.5f64, -1.5f64, 0.0f64, 0.0f64] }
entry rem [n] (x: [n]f64) (y: [n]f64) = map2 (%) x y

-- ==
-- entry: rem32
-- input { [5.5f32, -5.5f32, 5.5f32, -5.5f32, 0.25f32] [2.0f32, 2.0f32, -2.0f32, -2.0f32, f32.inf] }
-- output { [1.5f32, -1.5f32, 1.5f32, -1.5f32, 0.25f32] }
entry rem32 [n] (x: [n]f32) (y: [n]f32) = map2 (f32.%) x y

-- ==
-- entry: constants
-- input { }
-- output { [-1.5f64, 1.5f64, -0.5f64] }
entry constants = [-5.5 % 2.0, 5.5 % -2.0, -6.5f64 % 3.0]

-- ==
-- entry: to_ints
-- input { [f64.nan, f64.inf, -f64.inf, -2.75f64, 2.75f64, 1e300f64, -1e300f64] }
-- output { [0i32, 0i32, 0i32, -2i32, 2i32, 2147483647i32, -2147483648i32]
--          [0i64, 0i64, 0i64, -2i64, 2i64, 9223372036854775807i64, -9223372036854775808i64]
--          [0i8, 0i8, 0i8, -2i8, 2i8, 127i8, -128i8] }
entry to_ints [n] (xs: [n]f64) = (map i32.f64 xs, map i64.f64 xs, map i8.f64 xs)

-- ==
-- entry: to_ints32
-- input { [f32.nan, f32.inf, -f32.inf, -2.75f32, 2.75f32] }
-- output { [0i32, 0i32, 0i32, -2i32, 2i32] [0i64, 0i64, 0i64, -2i64, 2i64] [0u8, 0u8, 0u8, 254u8, 2u8] [true, true, true, true, true] }
entry to_ints32 [n] (xs: [n]f32) = (map i32.f32 xs, map i64.f32 xs, map u8.f32 xs, map bool.f32 xs)

-- ==
-- entry: constant_ints
-- input { }
-- output { [0i32, 0i32, 0i32, 3i32] }
entry constant_ints = [i32.f64 f64.inf, i32.f64 (-f64.inf), i32.f64 f64.nan, i32.f64 3.9]

-- ==
-- entry: gradient
-- input { -5.5 2.0 }
-- output { 1.0 2.0 }
entry gradient (x: f64) (y: f64) = vjp (\(a, b) -> a % b) (x, y) 1
