-- | Logistic regression of two classes, as Spark's MLlib has it: `y` is 1 or 0, and `w` the weight of a row.

open import "standard"

-- | log (1 + exp z). No exponential in it can overflow.
def softplus (z: f64) : f64 = if z > 0 then z + f64.log1p (f64.exp (-z)) else f64.log1p (f64.exp z)

-- | The mean loss of the rows, and the penalty of squares.
def cost [n] [k] [d] (x: [n][d]f64) (y: [n]f64) (w: [n]f64) (mean: [d]f64) (scale: [d]f64)
                     (l2: f64) (intercept: bool) (standardise: bool) (u: [k][d]f64, bias: [k]f64) : f64 =
  let b = unscaled scale u[0]
  let c = shifted mean b bias[0] intercept
  let surprise x y =
    let z = f64.sum (map2 (*) b x) + c
    in softplus (if y > 0.5 then -z else z)
  in f64.sum (map3 (\x y w -> w * surprise x y) x y w) / f64.sum w + l2 / 2 * squares scale standardise u
