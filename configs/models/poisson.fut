-- | Poisson regression with the logarithm as link, with a penalty on the weights if `l2` is more
-- than 0.
--
-- Columns: `x`, the features, and `y`, a count.

type model [d] = {weights: [d]f64, bias: f64}

-- | The first model predicts the mean count of the sample everywhere.
entry init [n] [d] (x: [n][d]f64) (y: [n]f64) : model [d] =
  let mean = f64.sum y / f64.i64 n
  in {weights = replicate d 0, bias = if mean > 0 then f64.log mean else 0}

-- | The logarithm of the expected count.
def value [d] (m: model [d]) (x: [d]f64) : f64 = f64.sum (map2 (*) m.weights x) + m.bias

-- | The negative logarithm of the likelihood for each row, without what doesn't depend on the model.
entry loss [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) (l2: f64) : f64 =
  f64.sum (map2 (\x y -> let z = value m x in f64.exp z - y * z) x y) / f64.i64 n
  + l2 / 2 * f64.sum (map (** 2) m.weights)

-- | The expected count.
entry predict [n] [d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (\x -> f64.exp (value m x)) x

-- | The mean deviance.
entry metrics [n] [d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : {deviance: f64} =
  let of_row x y =
    let z = value m x
    in 2 * ((if y > 0 then y * (f64.log y - z) else 0) - (y - f64.exp z))
  in {deviance = f64.sum (map2 of_row x y) / f64.i64 n}
