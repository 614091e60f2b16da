-- | A linear support vector machine, as Spark's MLlib has it: `y` is 1 or 0, and `w` the weight of a row.

open import "standard"

-- | The mean loss of the rows, and the penalty of squares.
def cost [n] [k] [d] (x: [n][d]f64) (y: [n]f64) (w: [n]f64) (mean: [d]f64) (scale: [d]f64)
                     (l2: f64) (intercept: bool) (standardise: bool) (u: [k][d]f64, bias: [k]f64) : f64 =
  let b = unscaled scale u[0]
  let c = shifted mean b bias[0] intercept
  let hinge x y =
    let z = f64.sum (map2 (*) b x) + c
    in f64.max 0 (1 - (if y > 0.5 then z else -z))
  in f64.sum (map3 (\x y w -> w * hinge x y) x y w) / f64.sum w + l2 / 2 * squares scale standardise u
