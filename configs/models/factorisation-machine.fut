-- | A factorisation machine (Rendle, 2010): a linear model, and for each pair of features the inner
-- product of their factors.
--
-- Columns: `x`, the features, and `y`, the number to predict.

open import "common"

type model [d] [k] = {bias: f64, weights: [d]f64, factors: [d][k]f64}

entry init [n] [d] (_x: [n][d]f64) (y: [n]f64) (rank: i64) (seed: i64) : model [d] [rank] =
  {bias = f64.sum y / f64.i64 n,
   weights = replicate d 0,
   factors = tabulate_2d d rank (\i j -> 0.01 * normal seed (i * rank + j))}

-- | The pairs take as many operations as there are factors: the square of a sum has each pair twice,
-- and each square once.
def value [d] [k] (m: model [d] [k]) (x: [d]f64) : f64 =
  let of_factor (f: [d]f64) =
    let products = map2 (*) f x
    in f64.sum products ** 2 - f64.sum (map (** 2) products)
  in m.bias + f64.sum (map2 (*) m.weights x) + f64.sum (map of_factor (transpose m.factors)) / 2

entry loss [n] [d] [k] (m: model [d] [k]) (x: [n][d]f64) (y: [n]f64) (l2: f64) : f64 =
  f64.sum (map2 (\x y -> (value m x - y) ** 2) x y) / (2 * f64.i64 n)
  + l2 / 2 * (f64.sum (map (** 2) m.weights) + f64.sum (map (\f -> f64.sum (map (** 2) f)) m.factors))

entry metrics [n] [d] [k] (m: model [d] [k]) (x: [n][d]f64) (y: [n]f64) : {rmse: f64} =
  {rmse = f64.sqrt (f64.sum (map2 (\x y -> (value m x - y) ** 2) x y) / f64.i64 n)}

entry predict [n] [d] [k] (m: model [d] [k]) (x: [n][d]f64) : [n]f64 = map (value m) x
