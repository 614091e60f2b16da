-- The fast Fourier transform, by radix 2, of 2^k points.
-- ==
-- input { [1f64, 0f64, 0f64, 0f64] } output { [1f64, 1f64, 1f64, 1f64] [0f64, 0f64, 0f64, 0f64] }
-- input { [1f64, 1f64, 1f64, 1f64] } output { [4f64, 0f64, 0f64, 0f64] [0f64, 0f64, 0f64, 0f64] }

type c = (f64, f64)

def add (a: c) (b: c) : c = (a.0 + b.0, a.1 + b.1)
def sub (a: c) (b: c) : c = (a.0 - b.0, a.1 - b.1)
def mul (a: c) (b: c) : c = (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)

def radix2 [n] (xs: [n]c) (j: i64) (ns: i64) : *[n]c =
  let half = n / 2
  let angle = -2 * f64.pi * f64.i64 (j % ns) / f64.i64 (ns * 2)
  let v0 = xs[j]
  let v1 = mul xs[j + half] (f64.cos angle, f64.sin angle)
  let at = (j / ns) * ns * 2 + (j % ns)
  in scatter (replicate n (0, 0)) [at, at + ns] [add v0 v1, sub v0 v1]

def fft [n] (xs: [n]c) : [n]c =
  let bits = i64.i32 (i64.num_bits - 1 - i64.clz n)
  let half = n / 2
  in loop xs for i < bits do
       let ns = 1 << i
       let parts = map (\j -> radix2 xs j ns) (iota half)
       in reduce (map2 add) (replicate n (0, 0)) parts

def main [n] (xs: [n]f64) = unzip (fft (map (\x -> (x, 0)) xs))
