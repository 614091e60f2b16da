-- | Linear regression: least squares, with a penalty on the weights (ridge regression) if `l2` is
-- more than 0. With the optimiser "proximal" and its option `l1` it is the lasso.
--
-- Columns: `x`, the features, and `y`, the number to predict.

type model [d] = {weights: [d]f64, bias: f64}

entry init [n] [d] (x: [n][d]f64) : model [d] = {weights = replicate d 0, bias = 0}

def value [d] (m: model [d]) (x: [d]f64) : f64 = f64.sum (map2 (*) m.weights x) + m.bias

-- | Half of the mean squared error, and the penalty.
entry loss [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (l2: f64) : f64 =
  f64.sum (map2 (\x y -> (value m x - y) ** 2) x y) / (2 * f64.i64 n)
  + l2 / 2 * f64.sum (map (** 2) m.weights)

entry predict [n] [d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x

-- | The root of the mean squared error, and the part of the variance that the model explains.
entry metrics [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : {rmse: f64, r2: f64} =
  let rows = f64.i64 n
  let squares = f64.sum (map2 (\x y -> (value m x - y) ** 2) x y)
  let mean = f64.sum y / rows
  let variance = f64.sum (map (\y -> (y - mean) ** 2) y)
  in {rmse = f64.sqrt (squares / rows), r2 = 1 - squares / variance}
