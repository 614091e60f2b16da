-- The functions of the floating-point modules.
-- ==
-- entry: roots
-- input { 4f64 } output { 2f64 1.5874010519681994f64 0.5f64 0.25f64 }

-- ==
-- entry: circle
-- input { 0f64 } output { 0f64 1f64 0f64 }

-- ==
-- entry: rounding
-- input { 2.5f64 } output { 2f64 3f64 2f64 2f64 }
-- input { -2.5f64 } output { -3f64 -2f64 -2f64 -2f64 }

-- ==
-- entry: special
-- input {} output { f32.inf -f32.inf true true false 3.1415927f32 }

-- ==
-- entry: as_bits
-- input { 1f32 } output { 1065353216u32 1f32 }

-- ==
-- entry: mixing
-- input { 1f32 3f32 } output { 2f32 5f32 }

-- ==
-- entry: fractions
-- input { 1i64 4i64 } output { 0.25f32 0.25f64 }

-- ==
-- entry: small
-- input {} output { true true }

entry roots (x: f64) = (f64.sqrt x, f64.cbrt x, f64.rsqrt x, f64.recip x)
entry circle (x: f64) = (f64.sin x, f64.cos x, f64.tan x)
entry rounding (x: f64) = (f64.floor x, f64.ceil x, f64.round x, f64.trunc x)
entry special = (f32.inf, f32.lowest, f32.isnan f32.nan, f32.isinf f32.inf, f32.isnan 1, f32.pi)
entry as_bits (x: f32) = (f32.to_bits x, f32.from_bits (f32.to_bits x))
entry mixing (x: f32) (y: f32) = (f32.lerp x y 0.5, f32.mad x y 2)
entry fractions (x: i64) (y: i64) = (f32.from_fraction x y, f64.from_fraction x y)
entry small = (1 + f64.epsilon > 1, 1 + f64.epsilon / 2 == 1)
