-- | Robust regression: rows that are far away pull no more than rows at the distance `delta`
-- (Huber's loss). It is an example of a loss of one's own.
--
-- Columns: `x`, the features, and `y`, the number to predict.

type model [d] = {weights: [d]f64, bias: f64}

entry init [n] [d] (x: [n][d]f64) : model [d] = {weights = replicate d 0, bias = 0}

def value [d] (m: model [d]) (x: [d]f64) : f64 = f64.sum (map2 (*) m.weights x) + m.bias

def huber (delta: f64) (r: f64) : f64 =
  let a = f64.abs r
  in if a < delta then r * r / 2 else delta * (a - delta / 2)

entry loss [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (delta: f64) : f64 =
  f64.sum (map2 (\x y -> huber delta (value m x - y)) x y) / f64.i64 n

entry predict [n] [d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x

-- | The mean of the distances from the model.
entry metrics [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : {distance: f64} =
  {distance = f64.sum (map2 (\x y -> f64.abs (value m x - y)) x y) / f64.i64 n}
