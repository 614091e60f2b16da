-- | Integers. This text is read once for each integer type, with that type's name for $t, its bits
-- for $bits and its bounds for $lowest and $highest.
module $t = {
  type t = $t
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
  def neg = intrinsics.neg_$t
  def not = intrinsics.not_$t
  def abs = intrinsics.abs_$t
  def sgn = intrinsics.sgn_$t
  def min = intrinsics.min_$t
  def max = intrinsics.max_$t
  def highest : $t = $highest
  def lowest : $t = $lowest
  def sum [n] (xs: [n]$t) : $t = intrinsics.reduce_comm intrinsics.add_$t 0 xs
  def product [n] (xs: [n]$t) : $t = intrinsics.reduce_comm intrinsics.mul_$t 1 xs
  def maximum [n] (xs: [n]$t) : $t = intrinsics.reduce_comm intrinsics.max_$t lowest xs
  def minimum [n] (xs: [n]$t) : $t = intrinsics.reduce_comm intrinsics.min_$t highest xs
  def num_bits : i32 = $bits
  def popc = intrinsics.popc_$t
  def clz = intrinsics.clz_$t
  def ctz = intrinsics.ctz_$t
  def mul_hi = intrinsics.mul_hi_$t
  def mad_hi (a: $t) (b: $t) (c: $t) : $t = intrinsics.add_$t (intrinsics.mul_hi_$t a b) c
  def get_bit (i: i32) (x: $t) : i32 =
    intrinsics.conv_$t_i32 (intrinsics.and_$t (intrinsics.ushr_$t x (intrinsics.conv_i32_$t i)) 1)
  def set_bit (i: i32) (x: $t) (b: i32) : $t =
    let at = intrinsics.conv_i32_$t i
    let mask = intrinsics.shl_$t 1 at
    let cleared = intrinsics.and_$t x (intrinsics.not_$t mask)
    in intrinsics.or_$t cleared
                        (intrinsics.shl_$t (intrinsics.and_$t (intrinsics.conv_i32_$t b) 1) at)
  def iota (n: $t) : *[]$t =
    intrinsics.map intrinsics.conv_i64_$t (intrinsics.iota (intrinsics.conv_$t_i64 n))
  def replicate 'v (n: $t) (x: v) : *[]v = intrinsics.replicate (intrinsics.conv_$t_i64 n) x
  def (+) = intrinsics.add_$t
  def (-) = intrinsics.sub_$t
  def (*) = intrinsics.mul_$t
  def (/) = intrinsics.div_$t
  def (%) = intrinsics.mod_$t
  def (//) = intrinsics.quot_$t
  def (%%) = intrinsics.rem_$t
  def (**) = intrinsics.pow_$t
  def (&) = intrinsics.and_$t
  def (|) = intrinsics.or_$t
  def (^) = intrinsics.xor_$t
  def (<<) = intrinsics.shl_$t
  def (>>) = intrinsics.shr_$t
  def (>>>) = intrinsics.ushr_$t
  def (==) = intrinsics.eq_$t
  def (<) = intrinsics.lt_$t
  def (<=) = intrinsics.le_$t
  def (>) (x: $t) (y: $t) : bool = intrinsics.lt_$t y x
  def (>=) (x: $t) (y: $t) : bool = intrinsics.le_$t y x
  def (!=) (x: $t) (y: $t) : bool = intrinsics.not_bool (intrinsics.eq_$t x y)
}
