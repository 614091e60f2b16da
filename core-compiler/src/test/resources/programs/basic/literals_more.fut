-- Less common literals.
-- ==
-- input {} output { 1.5f64 255i32 -1i32 65u8 0.5f32 12.0f64 true }

def main = (0x1.8p0f64, 0xFFi32, -1i32, 'A', 5e-1f32, 1_2.0f64, -2 ** 2 == 4i32)

-- Underscores in exponents, and before a suffix.

-- ==
-- entry: exponents
-- input { 1i32 } output { -17.99609375 1.5f32 -0.5 2e12 300.0f32 }

entry exponents (_: i32) = (-0x11.ffp0_0f64, 0x1.8p0_0f32, -0x1p-0_1_f64, 2e1_2, 3e0_2_f32)
