-- | Floating-point numbers. This text is read once for each such type, with that type's name for
-- $t, its bits for $bits and the bit pattern of its quiet NaN for $nan.
module $t = {
  type t = $t
  type int_t = u$bits
  def i8 = intrinsics.conv_i8_$t
  def i16 = intrinsics.conv_i16_$t
  def i32 = intrinsics.conv_i32_$t
  def i64 = intrinsics.conv_i64_$t
  def u8 = intrinsics.conv_u8_$t
  def u16 = intrinsics.conv_u16_$t
  def u32 = intrinsics.conv_u32_$t
  def u64 = intrinsics.conv_u64_$t
  def f16 = intrinsics.conv_f16_$t
  def f32 = intrinsics.conv_f32_$t
  def f64 = intrinsics.conv_f64_$t
  def bool = intrinsics.conv_bool_$t
  def to_i64 = intrinsics.conv_$t_i64
  def to_f64 = intrinsics.conv_$t_f64
  def from_fraction (x: i64) (y: i64) : $t =
    intrinsics.div_$t (intrinsics.conv_i64_$t x) (intrinsics.conv_i64_$t y)
  def inf : $t = intrinsics.div_$t 1 0
  def nan : $t = intrinsics.from_bits_$t $nan
  def highest : $t = inf
  def lowest : $t = intrinsics.neg_$t inf
  def pi : $t = 3.141592653589793238463
  def e : $t = 2.718281828459045235360
  def neg = intrinsics.neg_$t
  def recip (x: $t) : $t = intrinsics.div_$t 1 x
  def abs = intrinsics.abs_$t
  def sgn = intrinsics.sgn_$t
  def min = intrinsics.min_$t
  def max = intrinsics.max_$t
  def sum [n] (xs: [n]$t) : $t = intrinsics.reduce_comm intrinsics.add_$t 0 xs
  def product [n] (xs: [n]$t) : $t = intrinsics.reduce_comm intrinsics.mul_$t 1 xs
  def maximum [n] (xs: [n]$t) : $t = intrinsics.reduce_comm intrinsics.max_$t lowest xs
  def minimum [n] (xs: [n]$t) : $t = intrinsics.reduce_comm intrinsics.min_$t highest xs
  def sqrt = intrinsics.sqrt_$t
  def cbrt = intrinsics.cbrt_$t
  def exp = intrinsics.exp_$t
  def exp2 = intrinsics.exp2_$t
  def exp10 = intrinsics.exp10_$t
  def expm1 = intrinsics.expm1_$t
  def log = intrinsics.log_$t
  def log2 = intrinsics.log2_$t
  def log10 = intrinsics.log10_$t
  def log1p = intrinsics.log1p_$t
  def sin = intrinsics.sin_$t
  def cos = intrinsics.cos_$t
  def tan = intrinsics.tan_$t
  def asin = intrinsics.asin_$t
  def acos = intrinsics.acos_$t
  def atan = intrinsics.atan_$t
  def sinh = intrinsics.sinh_$t
  def cosh = intrinsics.cosh_$t
  def tanh = intrinsics.tanh_$t
  def asinh = intrinsics.asinh_$t
  def acosh = intrinsics.acosh_$t
  def atanh = intrinsics.atanh_$t
  def atan2 = intrinsics.atan2_$t
  def hypot = intrinsics.hypot_$t
  def gamma = intrinsics.gamma_$t
  def lgamma = intrinsics.lgamma_$t
  def erf = intrinsics.erf_$t
  def erfc = intrinsics.erfc_$t
  def floor = intrinsics.floor_$t
  def ceil = intrinsics.ceil_$t
  def round = intrinsics.round_$t
  def trunc = intrinsics.trunc_$t
  def isnan = intrinsics.isnan_$t
  def isinf = intrinsics.isinf_$t
  def copysign = intrinsics.copysign_$t
  def nextafter = intrinsics.nextafter_$t
  def ldexp = intrinsics.ldexp_$t
  def fma = intrinsics.fma_$t
  def to_bits = intrinsics.to_bits_$t
  def from_bits = intrinsics.from_bits_$t
  def rsqrt (x: $t) : $t = intrinsics.div_$t 1 (intrinsics.sqrt_$t x)
  def sinpi (x: $t) : $t = intrinsics.sin_$t (intrinsics.mul_$t x pi)
  def cospi (x: $t) : $t = intrinsics.cos_$t (intrinsics.mul_$t x pi)
  def tanpi (x: $t) : $t = intrinsics.tan_$t (intrinsics.mul_$t x pi)
  def asinpi (x: $t) : $t = intrinsics.div_$t (intrinsics.asin_$t x) pi
  def acospi (x: $t) : $t = intrinsics.div_$t (intrinsics.acos_$t x) pi
  def atanpi (x: $t) : $t = intrinsics.div_$t (intrinsics.atan_$t x) pi
  def atan2pi (y: $t) (x: $t) : $t = intrinsics.div_$t (intrinsics.atan2_$t y x) pi
  def lerp (a: $t) (b: $t) (x: $t) : $t =
    intrinsics.add_$t a (intrinsics.mul_$t (intrinsics.sub_$t b a) x)
  def mad (a: $t) (b: $t) (c: $t) : $t = intrinsics.add_$t (intrinsics.mul_$t a b) c
  def epsilon : $t = intrinsics.sub_$t (intrinsics.nextafter_$t 1 2) 1
  def num_bits : i32 = $bits
  def get_bit (i: i32) (x: $t) : i32 = u$bits.get_bit i (intrinsics.to_bits_$t x)
  def set_bit (i: i32) (x: $t) (b: i32) : $t =
    intrinsics.from_bits_$t (u$bits.set_bit i (intrinsics.to_bits_$t x) b)
  def (+) = intrinsics.add_$t
  def (-) = intrinsics.sub_$t
  def (*) = intrinsics.mul_$t
  def (/) = intrinsics.div_$t
  def (%) = intrinsics.mod_$t
  def (**) = intrinsics.pow_$t
  def (==) = intrinsics.eq_$t
  def (<) = intrinsics.lt_$t
  def (<=) = intrinsics.le_$t
  def (>) (x: $t) (y: $t) : bool = intrinsics.lt_$t y x
  def (>=) (x: $t) (y: $t) : bool = intrinsics.le_$t y x
  def (!=) (x: $t) (y: $t) : bool = intrinsics.not_bool (intrinsics.eq_$t x y)
}
