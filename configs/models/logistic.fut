-- | Logistic regression with two classes, with a penalty on the weights if `l2` is more than 0.
--
-- Columns: `x`, the features, and `y`. A row is of the class if its `y` is more than `threshold`: 0.5
-- where `y` is 1 or 0.

open import "common"

type model [d] = {weights: [d]f64, bias: f64, features: scale [d]}

entry init [n] [d] (x: [n][d]f64) : model [d] =
  {weights = replicate d 0, bias = 0, features = scale_of x}

-- | Optimisers see standardised features.
def reparametrise [d] (from: model [d]) (to: model [d]) : model [d] =
  let (weights, bias) = rescaled from.features (from.weights, from.bias) (to.weights, to.bias)
  in {weights, bias, features = from.features}

-- | The logarithm of the odds that a row is of the class.
def logit [d] (m: model [d]) (x: [d]f64) : f64 = f64.sum (map2 (*) m.weights x) + m.bias

-- | log (1 + exp z). No exponential in it can overflow, and the derivative of the branch that is taken is
-- right, at 0 too, where all weights begin.
def softplus (z: f64) : f64 = if z > 0 then z + f64.log1p (f64.exp (-z)) else f64.log1p (f64.exp z)

-- | The negative logarithm of the likelihood of a row.
def surprise (z: f64) (of_class: bool) : f64 = softplus (if of_class then -z else z)

entry loss [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (threshold: f64) (l2: f64) : f64 =
  f64.sum (map2 (\x y -> surprise (logit m x) (y > threshold)) x y) / f64.i64 n
  + l2 / 2 * f64.sum (map (** 2) m.weights)

-- | The probability that a row is of the class.
entry predict [n] [d] (m: model [d]) (x: [n][d]f64) : [n]f64 =
  map (\x -> 1 / (1 + f64.exp (-logit m x))) x

entry metrics [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (threshold: f64)
  : {accuracy: f64, log_loss: f64} =
  let rows = f64.i64 n
  let right = i64.sum (map2 (\x y -> i64.bool ((logit m x > 0) == (y > threshold))) x y)
  let surprises = f64.sum (map2 (\x y -> surprise (logit m x) (y > threshold)) x y)
  in {accuracy = f64.i64 right / rows, log_loss = surprises / rows}
