-- Conversions between the primitive types.
-- ==
-- entry: from_f64
-- input { 3.7f64 } output { 3i32 3i64 3u8 3.7f32 }
-- input { -3.7f64 } output { -3i32 -3i64 253u8 -3.7f32 }

-- ==
-- entry: wrap
-- input { 300i32 } output { 44i8 44u8 300i64 }

-- ==
-- entry: unsigned
-- input { -32768i16 -1f32 } output { 32768u32 32768u64 4294967295u32 18446744073709551615u64 }
-- input { 32767i16 -0.5f32 } output { 32767u32 32767u64 0u32 0u64 }

-- ==
-- entry: truth
-- input { 2i32 true } output { true 1i32 1f32 }

entry from_f64 (x: f64) = (i32.f64 x, i64.f64 x, u8.f64 x, f32.f64 x)
entry wrap (x: i32) = (i8.i32 x, u8.i32 x, i64.i32 x)
entry unsigned (x: i16) (y: f32) = (u32.i16 x, u64.i16 x, u32.f32 y, u64.f32 y)
entry truth (x: i32) (b: bool) = (bool.i32 x, i32.bool b, f32.bool b)
