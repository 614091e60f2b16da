-- | Regression by radial basis functions: the prediction is a sum of Gaussian bumps of the width
-- `width`. They begin at rows of the data, and training moves them and gives them weights. It is an
-- example of a model that `init` makes of rows.
--
-- Columns: `x`, the features, and `y`, the number to predict.

type model [k] [d] = {centres: [k][d]f64, weights: [k]f64, bias: f64}

-- | The bumps begin at the first rows of the sample: at `bumps` rows, if it has so many.
entry init [n] [d] (x: [n][d]f64) (y: [n]f64) (bumps: i64) : model [i64.min n bumps] [d] =
  let k = i64.min n bumps
  in {centres = take k x, weights = replicate k 0, bias = f64.sum y / f64.i64 n}

def value [k] [d] (width: f64) (m: model [k] [d]) (x: [d]f64) : f64 =
  let bump l = f64.exp (-f64.sum (map2 (\a b -> (a - b) ** 2) l x) / (2 * width * width))
  in m.bias + f64.sum (map2 (\l w -> w * bump l) m.centres m.weights)

entry loss [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (y: [n]f64) (width: f64) (l2: f64) : f64 =
  f64.sum (map2 (\x y -> (value width m x - y) ** 2) x y) / (2 * f64.i64 n)
  + l2 / 2 * f64.sum (map (** 2) m.weights)

entry predict [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (width: f64) : [n]f64 =
  map (value width m) x

entry metrics [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (y: [n]f64) (width: f64) : {rmse: f64} =
  {rmse = f64.sqrt (f64.sum (map2 (\x y -> (value width m x - y) ** 2) x y) / f64.i64 n)}
