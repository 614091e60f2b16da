-- Less common literals.
-- ==
-- input {} output { 1.5f64 255i32 -1i32 65u8 0.5f32 12.0f64 true }

def main = (0x1.8p0f64, 0xFFi32, -1i32, 'A', 5e-1f32, 1_2.0f64, -2 ** 2 == 4i32)
