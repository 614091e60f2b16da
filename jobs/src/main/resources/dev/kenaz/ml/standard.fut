-- | What linear classifiers have in common: weights of standardised columns, and the elastic net.
--
-- With the mean m and the deviation s of each column, a model has weights u of (x - m) / s. So the columns
-- count alike for the method that finds u, whatever their units, and they stay as they are: the score of a
-- row is x b + c, where b = u / s, and c takes m in. Columns without a deviation have the weight 0.

-- | The weights of the columns as they are.
def unscaled [d] (scale: [d]f64) (u: [d]f64) : [d]f64 = map2 (\u s -> if s > 0 then u / s else 0) u scale

-- | The number that is added to `x b`. Without an intercept it is 0.
def shifted [d] (mean: [d]f64) (b: [d]f64) (bias: f64) (intercept: bool) : f64 =
  if intercept then bias - f64.sum (map2 (*) mean b) else 0

-- | By which a penalty of u is multiplied, if it isn't of standardised columns.
def relative [d] (scale: [d]f64) (standardise: bool) : [d]f64 =
  map (\s -> if standardise then 1 else if s > 0 then 1 / s else 0) scale

def squares [k] [d] (scale: [d]f64) (standardise: bool) (u: [k][d]f64) : f64 =
  let r = relative scale standardise
  in f64.sum (map (\u -> f64.sum (map2 (\r u -> (r * u) ** 2) r u)) u)

-- | A place of the descent, the place before, and its slope there.
type path [k] [d] =
  {weights: [k][d]f64, bias: [k]f64, weights_before: [k][d]f64, bias_before: [k]f64, slope: [k][d]f64,
   bias_slope: [k]f64, begun: bool}

def path_start (k: i64) (d: i64) : path [k] [d] =
  let weights = replicate k (replicate d 0)
  let bias = replicate k 0
  in {weights, bias, weights_before = weights, bias_before = bias, slope = weights, bias_slope = bias,
      begun = false}

-- | A step against the slope of `cost`, after which weights move towards zero: by `l1` divided by the
-- curvature between the last two places (SpaRSA: Wright, Nowak and Figueiredo, IEEE Trans. Signal Process.
-- 57(7), 2009). It lowers the cost with the absolute values, or it stays. The number is this cost before it.
def shrink [k] [d] (cost: ([k][d]f64, [k]f64) -> f64) (l1: [d]f64) (at: path [k] [d]) : (path [k] [d], f64) =
  let pairs (a: [k][d]f64) (b: [k][d]f64) = f64.sum (map2 (\a b -> f64.sum (map2 (*) a b)) a b)
  let dot (a, b) (c, e) = pairs a c + f64.sum (map2 (*) b e)
  let less (a, b) (c, e) = (map2 (map2 (-)) a c, map2 (-) b e)
  let absolute (u: [k][d]f64) = f64.sum (map (\u -> f64.sum (map2 (\l u -> l * f64.abs u) l1 u)) u)
  let here = (at.weights, at.bias)
  let (smooth, slope) = vjp2 cost here 1
  let whole = smooth + absolute at.weights
  let move = less here (at.weights_before, at.bias_before)
  let bend = dot move (less slope (at.slope, at.bias_slope)) / dot move move
  let first = if at.begun && bend > 1e-12 then bend else 1
  let soft l z = if z > l then z - l else if z < -l then z + l else 0
  let to (c: f64) =
    (map2 (\u g -> map3 (\u g l -> soft (l / c) (u - g / c)) u g l1) at.weights slope.0,
     map2 (\b g -> b - g / c) at.bias slope.1)
  let enough c =
    let next = to c
    let far = less next here
    in cost next + absolute next.0 <= whole - 1e-4 * c * dot far far
  let (c, good, _) =
    loop (c, good, i) = (first, enough first, 0i32) while !good && i < 60 do (2 * c, enough (2 * c), i + 1)
  let (weights, bias) = if good then to c else here
  in ({weights, bias, weights_before = at.weights, bias_before = at.bias, slope = slope.0, bias_slope = slope.1,
       begun = true},
      whole)
