-- A pricing kernel: an Asian call and a barrier-free European call on one underlying, by
-- quasi-Monte Carlo. Sobol numbers (the first dimension of each: van der Corput, the others by
-- primitive polynomials), Acklam's inverse of the normal distribution, geometric Brownian paths.
-- The European price is compared with the formula of Black and Scholes.
-- ==
-- entry: european_close
-- input { 4096i64 100f64 100f64 0.05f64 0.2f64 1f64 } output { true }
-- input { 4096i64 100f64 120f64 0.03f64 0.3f64 2f64 } output { true }
-- ==
-- entry: asian_below
-- input { 1024i64 100f64 100f64 0.05f64 0.2f64 1f64 } output { true }

def bits : i64 = 24

-- Direction numbers of four dimensions, as Bratley and Fox have them: primitive polynomials
-- 1, x + 1, x^2 + x + 1 and x^3 + x + 1 with initial numbers 1; 1 1; 1 3 7.
def directions : [4][bits]u32 =
  let shift (m: u32) (i: i64) = m << (u32.i64 (bits - 1 - i))
  let first = tabulate bits (\i -> shift 1 i)
  let second =
    let ms = loop ms = replicate bits 1u32 for i in 1..<bits do
      ms with [i] = (ms[i - 1] << 1) ^ ms[i - 1]
    in map2 shift ms (iota bits)
  let third =
    let ms = loop ms = replicate bits 1u32 for i in 2..<bits do
      ms with [i] = (ms[i - 1] << 1) ^ (ms[i - 2] << 2) ^ ms[i - 2]
    in map2 shift ms (iota bits)
  let fourth =
    let start = replicate bits 1u32 with [1] = 3 with [2] = 7
    let ms = loop ms = start for i in 3..<bits do
      ms with [i] = (ms[i - 2] << 2) ^ (ms[i - 3] << 3) ^ ms[i - 3]
    in map2 shift ms (iota bits)
  in [first, second, third, fourth]

-- The i-th number of one dimension: the directions of the bits of i's Gray code, combined.
def sobol (direction: [bits]u32) (i: i64) : f64 =
  let gray = i ^ (i >> 1)
  let chosen = filter (\k -> (gray >> k) & 1 == 1) (iota bits)
  let combined = reduce (^) 0 (map (\k -> direction[k]) chosen)
  in (f64.u32 combined + 0.5) / f64.i64 (1 << bits)

-- Acklam's rational approximation, relative error below 1.15e-9.
def inverse_normal (p: f64) : f64 =
  let tail q =
    (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q
       - 2.549732539343734) * q + 4.374664141464968) * q + 2.938163982698783)
    / ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q
        + 3.754408661907416) * q + 1)
  in if p < 0.02425 then tail (f64.sqrt (-2 * f64.log p))
     else if p > 1 - 0.02425 then - tail (f64.sqrt (-2 * f64.log (1 - p)))
     else
       let q = p - 0.5
       let r = q * q
       in (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r
             + 1.383577518672690e+02) * r - 3.066479806614716e+01) * r + 2.506628277459239) * q
          / (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r
                - 1.556989798598866e+02) * r + 6.680131188771972e+01) * r
              - 1.328068155288572e+01) * r + 1)

-- The underlying at four dates of a path.
def path (s: f64) (r: f64) (v: f64) (t: f64) (gaussians: [4]f64) : [4]f64 =
  let dt = t / 4
  let steps = map (\g -> (r - v * v / 2) * dt + v * f64.sqrt dt * g) gaussians
  in map (\x -> s * f64.exp x) (scan (+) 0 steps)

def paths (n: i64) (s: f64) (r: f64) (v: f64) (t: f64) : [n][4]f64 =
  let uniform = map (\i -> map (\d -> sobol d (i + 1)) directions) (iota n)
  let gaussian = map (map inverse_normal) uniform
  in map (path s r v t) gaussian

def price (n: i64) (r: f64) (t: f64) (payoff: [4]f64 -> f64) (ps: [n][4]f64) : f64 =
  let payoffs = map payoff ps
  let discounted = map (* f64.exp (-r * t)) payoffs
  in reduce (+) 0 discounted / f64.i64 n

def european (n: i64) (s: f64) (k: f64) (r: f64) (v: f64) (t: f64) : f64 =
  price n r t (\p -> f64.max 0 (p[3] - k)) (paths n s r v t)

def asian (n: i64) (s: f64) (k: f64) (r: f64) (v: f64) (t: f64) : f64 =
  price n r t (\p -> f64.max 0 (reduce (+) 0 p / 4 - k)) (paths n s r v t)

-- The normal distribution, by Abramowitz and Stegun 26.2.17.
def normal (x: f64) : f64 =
  let k = 1 / (1 + 0.2316419 * f64.abs x)
  let poly =
    ((((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k + 0.319381530) * k
  let upper = f64.exp (-x * x / 2) / f64.sqrt (2 * f64.pi) * poly
  in if x < 0 then upper else 1 - upper

def black_scholes (s: f64) (k: f64) (r: f64) (v: f64) (t: f64) : f64 =
  let d1 = (f64.log (s / k) + (r + v * v / 2) * t) / (v * f64.sqrt t)
  let d2 = d1 - v * f64.sqrt t
  in s * normal d1 - k * f64.exp (-r * t) * normal d2

-- Within half a percent of the underlying's price.
entry european_close (n: i64) (s: f64) (k: f64) (r: f64) (v: f64) (t: f64) : bool =
  f64.abs (european n s k r v t - black_scholes s k r v t) < 0.005 * s

entry asian_below (n: i64) (s: f64) (k: f64) (r: f64) (v: f64) (t: f64) : bool =
  let a = asian n s k r v t in a > 0 && a < european n s k r v t
