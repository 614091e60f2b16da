package dev.kenaz.cuda;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** Lists the names that registers can't have. */
final class CudaNames {
  private static final Set<String> RESERVED =
      Set.of(
          ("alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl"
                  + " const constexpr const_cast continue decltype default delete do double"
                  + " dynamic_cast else enum explicit export extern false float for friend goto if"
                  + " inline int long mutable namespace new noexcept not not_eq nullptr operator or"
                  + " or_eq private protected public register reinterpret_cast return short signed"
                  + " sizeof static static_assert static_cast struct switch template this"
                  + " thread_local throw true try typedef typeid typename union unsigned using"
                  + " virtual void volatile wchar_t while xor xor_eq concept requires"
                  + " i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 old at add sub mul quot rem shl shr"
                  + " ushr popc clz ctz mul_hi fail exchange bit_copy printf malloc free"
                  + " abs fabs fabsf fma fmaf floor ceil trunc rint round sqrt cbrt exp exp2 exp10"
                  + " expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh"
                  + " acosh atanh tgamma lgamma erf erfc pow fmod atan2 hypot copysign nextafter"
                  + " ldexp fmin fmax j0 j1 jn y0 y1 yn gamma signgam index time clock unix linux"
                  + " threadIdx blockIdx blockDim gridDim warpSize")
              .split(" "));

  private static final Pattern FUNCTION = Pattern.compile("(\\w+)[<(]");

  private CudaNames() {}

  /** Returns the words of the language, and the functions that kernels may call. */
  static Set<String> taken(String prelude) {
    var names = new HashSet<>(RESERVED);
    FUNCTION.matcher(prelude).results().forEach(m -> names.add(m.group(1)));
    return names;
  }
}
