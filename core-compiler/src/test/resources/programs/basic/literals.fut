-- Literals of all kinds.
-- ==
-- entry: ints
-- input {} output { 42i32 255u8 -1i8 1000000i64 10i32 5i32 }

-- ==
-- entry: floats
-- input {} output { 1.5f32 0.25f64 1000f64 10f32 }

-- ==
-- entry: text
-- input {} output { [104u8, 105u8] 97u8 }

entry ints = (42i32, 255u8, -1i8, 1_000_000i64, 0xAi32, 0b101i32)
entry floats = (1.5f32, 0.25, 1e3f64, 10f32)
entry text = ("hi", 'a')
