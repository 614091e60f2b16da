-- | A linear support vector machine: the hinge loss, with a penalty `l2` on the weights.
--
-- Columns: `x`, the features, and `y`. A row is of the class if its `y` is more than `threshold`: 0.5
-- where `y` is 1 or 0.

type model [d] = {weights: [d]f64, bias: f64}

entry init [n] [d] (x: [n][d]f64) : model [d] = {weights = replicate d 0, bias = 0}

def value [d] (m: model [d]) (x: [d]f64) : f64 = f64.sum (map2 (*) m.weights x) + m.bias

def hinge (z: f64) (of_class: bool) : f64 = f64.max 0 (1 - (if of_class then z else -z))

entry loss [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (threshold: f64) (l2: f64) : f64 =
  f64.sum (map2 (\x y -> hinge (value m x) (y > threshold)) x y) / f64.i64 n
  + l2 / 2 * f64.sum (map (** 2) m.weights)

-- | Whether a row is of the class.
entry predict [n] [d] (m: model [d]) (x: [n][d]f64) : [n]bool = map (\x -> value m x > 0) x

entry metrics [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (threshold: f64)
  : {accuracy: f64, hinge: f64} =
  let rows = f64.i64 n
  let right = i64.sum (map2 (\x y -> i64.bool ((value m x > 0) == (y > threshold))) x y)
  in {accuracy = f64.i64 right / rows,
      hinge = f64.sum (map2 (\x y -> hinge (value m x) (y > threshold)) x y) / rows}
