-- | A linear support vector machine: the hinge loss, with a penalty `l2` on the weights.
--
-- Columns: `x`, the features, and `y`, 1 for a row of the class and 0 for others.

type model [d] = {weights: [d]f64, bias: f64}

entry init [n] [d] (_x: [n][d]f64) : model [d] = {weights = replicate d 0, bias = 0}

def value [d] (m: model [d]) (x: [d]f64) : f64 = f64.sum (map2 (*) m.weights x) + m.bias

def hinge (z: f64) (y: f64) : f64 = f64.max 0 (1 - (2 * y - 1) * z)

entry loss [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (l2: f64) : f64 =
  f64.sum (map2 (\x y -> hinge (value m x) y) x y) / f64.i64 n
  + l2 / 2 * f64.sum (map (** 2) m.weights)

-- | Whether a row is of the class.
entry predict [n] [d] (m: model [d]) (x: [n][d]f64) : [n]bool = map (\x -> value m x > 0) x

entry metrics [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : {accuracy: f64, hinge: f64} =
  let rows = f64.i64 n
  let right = i64.sum (map2 (\x y -> i64.bool ((value m x > 0) == (y > 0.5))) x y)
  in {accuracy = f64.i64 right / rows,
      hinge = f64.sum (map2 (\x y -> hinge (value m x) y) x y) / rows}
