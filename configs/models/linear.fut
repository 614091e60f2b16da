-- | Linear regression: least squares, with a penalty on the weights (ridge regression) if `l2` is
-- more than 0. With the optimiser "proximal" and its option `l1` it is the lasso. Without an optimiser in
-- the configuration, one step solves the normal equations.
--
-- Columns: `x`, the features, and `y`, the number to predict.

open import "common"

type model [d] = {weights: [d]f64, bias: f64}

entry init [n] [d] (x: [n][d]f64) : model [d] = {weights = replicate d 0, bias = 0}

def value [d] (m: model [d]) (x: [d]f64) : f64 = f64.sum (map2 (*) m.weights x) + m.bias

-- | Half of the mean squared error, and the penalty.
entry loss [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (l2: f64) : f64 =
  f64.sum (map2 (\x y -> (value m x - y) ** 2) x y) / (2 * f64.i64 n)
  + l2 / 2 * f64.sum (map (** 2) m.weights)

-- | The solution of the normal equations. Of the columns, the means are taken first, so that the bias is
-- apart.
entry step [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (l2: f64) : model [d] =
  let rows = f64.i64 n
  let mean c = f64.sum c / rows
  let (means, level) = (map mean (transpose x), mean y)
  let columns = transpose (map (\x -> map2 (-) x means) x)
  let products = map (\a -> map (\b -> mean (map2 (*) a b)) columns) columns
  let targets = map (\a -> mean (map2 (\a y -> a * (y - level)) a y)) columns
  let penalty = tabulate_2d d d (\i j -> l2 * f64.bool (i == j))
  let weights = solve (map2 (map2 (+)) products penalty) targets
  in m with weights = weights with bias = level - f64.sum (map2 (*) weights means)

entry predict [n] [d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x

-- | The root of the mean squared error, and the part of the variance that the model explains.
entry metrics [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : {rmse: f64, r2: f64} =
  let rows = f64.i64 n
  let squares = f64.sum (map2 (\x y -> (value m x - y) ** 2) x y)
  let mean = f64.sum y / rows
  let variance = f64.sum (map (\y -> (y - mean) ** 2) y)
  in {rmse = f64.sqrt (squares / rows), r2 = 1 - squares / variance}
