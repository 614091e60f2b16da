-- | What modules of numbers have in common. `f32` and the other primitive types have modules of
-- these types, so that code can be written for any of them.

-- | What any primitive value can be turned into.
module type from_prim = {
  type t
  val i8 : i8 -> t
  val i16 : i16 -> t
  val i32 : i32 -> t
  val i64 : i64 -> t
  val u8 : u8 -> t
  val u16 : u16 -> t
  val u32 : u32 -> t
  val u64 : u64 -> t
  val f16 : f16 -> t
  val f32 : f32 -> t
  val f64 : f64 -> t
  val bool : bool -> t
}

-- | Numbers.
module type numeric = {
  include from_prim
  val (+) : t -> t -> t
  val (-) : t -> t -> t
  val (*) : t -> t -> t
  val (/) : t -> t -> t
  val (%) : t -> t -> t
  val (**) : t -> t -> t
  val to_i64 : t -> i64
  val (==) : t -> t -> bool
  val (<) : t -> t -> bool
  val (>) : t -> t -> bool
  val (<=) : t -> t -> bool
  val (>=) : t -> t -> bool
  val (!=) : t -> t -> bool
  -- | The number with the opposite sign.
  val neg : t -> t
  val max : t -> t -> t
  val min : t -> t -> t
  val abs : t -> t
  -- | -1, 0 or 1.
  val sgn : t -> t
  -- | The number that is not less than any other.
  val highest : t
  -- | The number that is not greater than any other.
  val lowest : t
  -- | Zero of no numbers.
  val sum [n] : [n]t -> t
  -- | One of no numbers.
  val product [n] : [n]t -> t
  -- | `lowest` of no numbers.
  val maximum [n] : [n]t -> t
  -- | `highest` of no numbers.
  val minimum [n] : [n]t -> t
}

-- | Integers.
module type integral = {
  include numeric
  -- | Division that rounds towards zero.
  val (//) : t -> t -> t
  -- | The remainder of `//`.
  val (%%) : t -> t -> t
  val (&) : t -> t -> t
  val (|) : t -> t -> t
  val (^) : t -> t -> t
  -- | Every bit inverted.
  val not : t -> t
  val (<<) : t -> t -> t
  -- | Keeps the sign.
  val (>>) : t -> t -> t
  -- | Shifts in zeros.
  val (>>>) : t -> t -> t
  val num_bits : i32
  -- | Bit `i`, counted from the least significant one.
  val get_bit : i32 -> t -> i32
  -- | The number with bit `i` set to the given one.
  val set_bit : i32 -> t -> i32 -> t
  -- | How many bits are one.
  val popc : t -> i32
  -- | The upper half of the product.
  val mul_hi : (x: t) -> (y: t) -> t
  -- | The upper half of the product of the first two, plus the third.
  val mad_hi : (a: t) -> (b: t) -> (c: t) -> t
  -- | How many zero bits are above the most significant one bit.
  val clz : t -> i32
  -- | How many zero bits are below the least significant one bit.
  val ctz : t -> i32
}

-- | Integers that can be array sizes.
module type size = {
  include integral
  -- | 0, 1, … up to but not including the number.
  val iota : (n: t) -> *[]t
  val replicate 'v : (n: t) -> (x: v) -> *[]v
}

-- | Real numbers, of whatever precision.
module type real = {
  include numeric
  -- | A quotient of integers.
  val from_fraction : i64 -> i64 -> t
  val to_f64 : t -> f64
  -- | One divided by the number.
  val recip : t -> t
  val sqrt : t -> t
  -- | One divided by the square root.
  val rsqrt : t -> t
  val cbrt : t -> t
  val exp : t -> t
  val exp2 : t -> t
  val exp10 : t -> t
  val expm1 : t -> t
  val sin : t -> t
  val cos : t -> t
  val tan : t -> t
  val asin : t -> t
  val acos : t -> t
  val atan : t -> t
  val sinh : t -> t
  val cosh : t -> t
  val tanh : t -> t
  val asinh : t -> t
  val acosh : t -> t
  val atanh : t -> t
  val atan2 : t -> t -> t
  -- | The functions of angles that are given in half turns.
  val sinpi : t -> t
  val cospi : t -> t
  val tanpi : t -> t
  val asinpi : t -> t
  val acospi : t -> t
  val atanpi : t -> t
  val atan2pi : t -> t -> t
  val hypot : t -> t -> t
  val gamma : t -> t
  val lgamma : t -> t
  val erf : t -> t
  val erfc : t -> t
  -- | From the first number at 0 to the second one at 1, along a line.
  val lerp : t -> t -> t -> t
  val log : t -> t
  val log2 : t -> t
  val log10 : t -> t
  val log1p : t -> t
  val ceil : t -> t
  val floor : t -> t
  val trunc : t -> t
  -- | To the nearest integer, and to the even one of two.
  val round : t -> t
  -- | `a * b + c`.
  val mad : (a: t) -> (b: t) -> (c: t) -> t
  -- | `a * b + c`, rounded once.
  val fma : (a: t) -> (b: t) -> (c: t) -> t
  val isinf : t -> bool
  val isnan : t -> bool
  val inf : t
  val nan : t
  val pi : t
  val e : t
}

-- | Floating-point numbers.
module type float = {
  include real
  -- | An integer with as many bits.
  type int_t
  val from_bits : int_t -> t
  val to_bits : t -> int_t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t
  -- | The difference between 1 and the next larger number.
  val epsilon : t
  -- | The first number with the sign of the second.
  val copysign : t -> t -> t
  -- | The number next to the first in the direction of the second.
  val nextafter : t -> t -> t
  -- | The number times two to that power.
  val ldexp : t -> i32 -> t
}

-- | `f32.i32` by its short name.
def r32 (x: i32) : f32 = intrinsics.conv_i32_f32 x

-- | `i32.f32` by its short name: towards zero.
def t32 (x: f32) : i32 = intrinsics.conv_f32_i32 x

-- | `f64.i32` by its short name.
def r64 (x: i32) : f64 = intrinsics.conv_i32_f64 x

-- | `i32.f64` by its short name: towards zero.
def t64 (x: f64) : i32 = intrinsics.conv_f64_i32 x
