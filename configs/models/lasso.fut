-- | Linear regression with the elastic net: half of the mean squared error, plus `l1` times the sum of
-- the weights without their signs, plus `l2 / 2` times the sum of their squares. With `l2` = 0 it is
-- the lasso. The bias has no penalty.
--
-- One step finds the solution: products of the columns are summed over the rows, and the weights are
-- found from these sums by coordinate descent (Friedman, Hastie and Tibshirani, "Regularization paths
-- for generalized linear models via coordinate descent", 2010).
--
-- Columns: `x`, the features, and `y`, the number to predict.

module linear = import "linear"

type model [d] = linear.model [d]

entry init [n] [d] (x: [n][d]f64) : model [d] = linear.init x

-- | The weight that is best for one column: `z` is the slope without a penalty.
def shrunk (l1: f64) (z: f64) : f64 = if z > l1 then z - l1 else if z < -l1 then z + l1 else 0

-- | The solution, and the loss of the model that is given.
entry step [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (l1: f64) (l2: f64) : (model [d], f64) =
  let rows = f64.i64 n
  let centre = map (\c -> f64.sum c / rows) (transpose x)
  let mean = f64.sum y / rows
  let columns = transpose (map (\x -> map2 (-) x centre) x)
  let products = map (\a -> map (\b -> f64.sum (map2 (*) a b) / rows) columns) columns
  let targets = map (\a -> f64.sum (map2 (\a y -> a * (y - mean)) a y) / rows) columns
  let variance = f64.sum (map (\y -> (y - mean) ** 2) y) / rows
  let dot a b = f64.sum (map2 (*) a b)
  let best (w: [d]f64) (j: i64) : f64 =
    let curvature = products[j, j] + l2
    let z = targets[j] - dot products[j] w + products[j, j] * w[j]
    in if curvature > 0 then shrunk l1 z / curvature else 0
  let sweep w = loop w = copy w for j < d do w with [j] = best w j
  let (weights, _, _) =
    loop (w, moved, i) = (m.weights, true, 0i32)
    while moved && i < 100000 do
      let next = sweep w
      let change a b = f64.abs (a - b) > 1e-14 * f64.abs b
      in (next, or (map2 change w next), i + 1)
  let fit = variance / 2 - dot m.weights targets + dot m.weights (map (dot m.weights) products) / 2
  let away = mean - dot m.weights centre - m.bias
  let penalty = l1 * f64.sum (map f64.abs m.weights) + l2 / 2 * dot m.weights m.weights
  in ({weights, bias = mean - dot weights centre}, fit + away * away / 2 + penalty)

entry predict [n] [d] (m: model [d]) (x: [n][d]f64) : [n]f64 = linear.predict m x

entry metrics [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : {rmse: f64, r2: f64} =
  linear.metrics m x y
