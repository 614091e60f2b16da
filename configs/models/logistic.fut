-- | Logistic regression with two classes, with a penalty on the weights if `l2` is more than 0.
--
-- Columns: `x`, the features, and `y`, 1 for a row of the class and 0 for others.

type model [d] = {weights: [d]f64, bias: f64}

entry init [n] [d] (_x: [n][d]f64) : model [d] = {weights = replicate d 0, bias = 0}

-- | The logarithm of the odds that a row is of the class.
def logit [d] (m: model [d]) (x: [d]f64) : f64 = f64.sum (map2 (*) m.weights x) + m.bias

-- | The negative logarithm of the likelihood of a row. No exponential in it can overflow.
def surprise (z: f64) (y: f64) : f64 = f64.max z 0 - y * z + f64.log1p (f64.exp (-f64.abs z))

entry loss [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (l2: f64) : f64 =
  f64.sum (map2 (\x y -> surprise (logit m x) y) x y) / f64.i64 n
  + l2 / 2 * f64.sum (map (** 2) m.weights)

-- | The probability that a row is of the class.
entry predict [n] [d] (m: model [d]) (x: [n][d]f64) : [n]f64 =
  map (\x -> 1 / (1 + f64.exp (-logit m x))) x

entry metrics [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : {accuracy: f64, log_loss: f64} =
  let rows = f64.i64 n
  let right = i64.sum (map2 (\x y -> i64.bool ((logit m x > 0) == (y > 0.5))) x y)
  let surprises = f64.sum (map2 (\x y -> surprise (logit m x) y) x y)
  in {accuracy = f64.i64 right / rows, log_loss = surprises / rows}
