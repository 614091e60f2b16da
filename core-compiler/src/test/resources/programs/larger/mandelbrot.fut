-- Escape times of the Mandelbrot set, with a module of complex numbers.
-- ==
-- input { 2i64 1i64 50i32 }

module type complex = {
  type real
  type complex
  val mk : real -> real -> complex
  val + : complex -> complex -> complex
  val * : complex -> complex -> complex
  val norm2 : complex -> real
}

module mk_complex (T: real) : (complex with real = T.t) = {
  type real = T.t
  type complex = (T.t, T.t)
  def mk (re: real) (im: real) : complex = (re, im)
  def (a, b) + (c, d) = T.((a + c, b + d))
  def (a, b) * (c, d) = T.((a * c - b * d, a * d + b * c))
  def norm2 ((a, b): complex) = T.(a * a + b * b)
}

module c64 = mk_complex f64

def escape (limit: i32) (c: c64.complex) : i32 =
  let (_, steps) =
    loop (z, i) = (c, 0) while i < limit && c64.norm2 z <= 4 do
      (c64.(z * z + c), i + 1)
  in steps

def main (w: i64) (h: i64) (limit: i32) =
  tabulate_2d h w (\y x ->
    let re = -1.5 + 1.5 * f64.i64 x
    let im = -1 + f64.i64 y
    in escape limit (c64.mk re im))
