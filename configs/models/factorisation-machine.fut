-- | A factorisation machine (Rendle, "Factorization machines", 2010) of categories: each category
-- has a weight and a vector of factors, and each pair of categories in a row adds the inner product
-- of their factors.
--
-- Columns: `x`, the number of a category in each column, from 0, and `y`, the number to predict.
-- `sizes` says how many categories each column of `x` has.

open import "common"

type model [f] [k] = {bias: f64, weights: [f]f64, factors: [f][k]f64}

entry init [n] [c] (y: [n]f64) (sizes: [c]i64) (rank: i64) (seed: i64) : model [i64.sum sizes] [rank] =
  let f = i64.sum sizes
  in {bias = f64.sum y / f64.i64 n,
      weights = replicate f 0,
      factors = tabulate_2d f rank (\i j -> 0.1 * normal seed (i * rank + j))}

-- | The prediction for a row. The categories of all columns are numbered one after the other. The
-- square of a sum of factors has each pair twice, and each square once.
def value [f] [k] [c] (m: model [f] [k]) (sizes: [c]i64) (x: [c]i64) : f64 =
  let exist = and (map2 (\x size -> 0 <= x && x < size) x sizes)
  let x = assert exist x -- another number would be a category of another column
  let features = map3 (\x end size -> end - size + x) x (scan (+) 0 sizes) sizes
  let pairs j =
    let factors = map (\i -> m.factors[i, j]) features
    in f64.sum factors ** 2 - f64.sum (map (** 2) factors)
  in m.bias + f64.sum (map (\i -> m.weights[i]) features) + f64.sum (tabulate k pairs) / 2

def squared_error [n] [f] [k] [c] (m: model [f] [k]) (x: [n][c]i64) (y: [n]f64) (sizes: [c]i64) : f64 =
  f64.sum (map2 (\x y -> (value m sizes x - y) ** 2) x y)

-- | Half of the mean squared error, and the penalty.
entry loss [n] [f] [k] [c] (m: model [f] [k]) (x: [n][c]i64) (y: [n]f64) (sizes: [c]i64) (l2: f64) : f64 =
  squared_error m x y sizes / (2 * f64.i64 n)
  + l2 / 2 * (f64.sum (map (** 2) m.weights) + f64.sum (map (\f -> f64.sum (map (** 2) f)) m.factors))

entry metrics [n] [f] [k] [c] (m: model [f] [k]) (x: [n][c]i64) (y: [n]f64) (sizes: [c]i64) : {rmse: f64} =
  {rmse = f64.sqrt (squared_error m x y sizes / f64.i64 n)}

entry predict [n] [f] [k] [c] (m: model [f] [k]) (x: [n][c]i64) (sizes: [c]i64) : [n]f64 =
  map (value m sizes) x
