-- | Truth values.
module bool = {
  type t = bool
  def i8 = intrinsics.conv_i8_bool
  def i16 = intrinsics.conv_i16_bool
  def i32 = intrinsics.conv_i32_bool
  def i64 = intrinsics.conv_i64_bool
  def u8 = intrinsics.conv_u8_bool
  def u16 = intrinsics.conv_u16_bool
  def u32 = intrinsics.conv_u32_bool
  def u64 = intrinsics.conv_u64_bool
  def f16 = intrinsics.conv_f16_bool
  def f32 = intrinsics.conv_f32_bool
  def f64 = intrinsics.conv_f64_bool
  def bool = intrinsics.conv_bool_bool
  def not = intrinsics.not_bool
  def neg = intrinsics.not_bool
  def (==) = intrinsics.eq_bool
  def (<) = intrinsics.lt_bool
  def (<=) = intrinsics.le_bool
  def (>) (x: bool) (y: bool) : bool = intrinsics.lt_bool y x
  def (>=) (x: bool) (y: bool) : bool = intrinsics.le_bool y x
  def (!=) (x: bool) (y: bool) : bool = intrinsics.xor_bool x y
  def (&&) (x: bool) (y: bool) : bool = if x then y else false
  def (||) (x: bool) (y: bool) : bool = if x then true else y
}
