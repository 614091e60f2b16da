-- | Multinomial logistic regression, as Spark's MLlib has it: `y` is the number of the class, and `w` the
-- weight of a row.

open import "standard"
import "builtin:common"
module scores = class_scores f64

-- | The mean loss of the rows, and the penalty of squares.
def cost [n] [k] [d] (x: [n][d]f64) (y: [n]f64) (w: [n]f64) (mean: [d]f64) (scale: [d]f64)
                     (l2: f64) (intercept: bool) (standardise: bool) (u: [k][d]f64, bias: [k]f64) : f64 =
  let b = map (unscaled scale) u
  let c = map2 (\b bias -> shifted mean b bias intercept) b bias
  let surprise x y =
    let z = map2 (\b c -> f64.sum (map2 (*) b x) + c) b c
    in scores.logsumexp z - z[i64.f64 y]
  in f64.sum (map3 (\x y w -> w * surprise x y) x y w) / f64.sum w + l2 / 2 * squares scale standardise u
