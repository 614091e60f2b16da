-- | Least squares with the elastic net, as the estimator LinearRegression of Spark's MLlib has it. The loss is
--
--     1 / (2 W) sum_i w_i (x_i b + c - y_i)^2
--     + reg * (alpha * sum_j s_j |b_j| + (1 - alpha) / 2 / deviation(y) * sum_j (s_j b_j)^2)
--
-- where W is the sum of the weights and s_j the deviation of a column, or 1 without standardisation. MLlib
-- divides the labels by their deviation first, so the penalty of squares is of these.
--
-- Sums over the rows give the products of the columns. The rest is done with these alone: columns are
-- divided by their deviations, and elimination or, for alpha > 0, coordinate descent (Friedman, Hastie and
-- Tibshirani, 2010) finds the weights. A column that others explain gets the weight 0.

type model [d] = {weights: [d]f64, bias: f64, inverse: [d + 1]f64, loss: f64}

-- | The solution of a symmetric system, and the inverse, by elimination without exchanges; what has no pivot
-- is left out.
def solve [k] (a: [k][k]f64) (b: [k]f64) : ([k]f64, [k][k]f64) =
  let identity = tabulate_2d k k (\i j -> f64.bool (i == j))
  let (_, x, inverse) =
    loop (a, b, v) = (a, b, identity) for i < k do
      let pivot = a[i, i]
      let used = pivot > 1e-11
      let row = if used then map (/ pivot) a[i] else replicate k 0
      let right = if used then map (/ pivot) v[i] else replicate k 0
      let y = if used then b[i] / pivot else 0
      let factor j = if j == i then 0 else a[j, i]
      let minus [m] (f: f64) (r: [m]f64) (p: [m]f64) = map2 (\r p -> r - f * p) r p
      let a' = tabulate k (\j -> if j == i then row else minus (factor j) a[j] row)
      let v' = tabulate k (\j -> if j == i then right else minus (factor j) v[j] right)
      let b' = tabulate k (\j -> if j == i then y else b[j] - factor j * y)
      in (a', b', v')
  in (x, inverse)

def shrunk (l1: f64) (z: f64) : f64 = if z > l1 then z - l1 else if z < -l1 then z + l1 else 0

-- | The best weights for `w a w / 2 - b w + sum l1 |w| + sum l2 w^2 / 2`.
def descend [k] (a: [k][k]f64) (b: [k]f64) (l1: [k]f64) (l2: [k]f64) : [k]f64 =
  let dot a b = f64.sum (map2 (*) a b)
  let best (w: [k]f64) (j: i64) : f64 =
    let curvature = a[j, j] + l2[j]
    let z = b[j] - dot a[j] w + a[j, j] * w[j]
    in if curvature > 1e-11 then shrunk l1[j] z / curvature else 0
  let sweep w = loop w = copy w for j < k do w with [j] = best w j
  let (weights, _, _) =
    loop (w, moved, i) = (replicate k 0, true, 0i32) while moved && i < 100000 do
      let next = sweep w
      let far a b = f64.abs (a - b) > 1e-13 * f64.max 1e-3 (f64.abs b)
      in (next, or (map2 far w next), i + 1)
  in weights

def train [n] [d] (x: [n][d]f64) (y: [n]f64) (w: [n]f64)
                  (reg: f64) (alpha: f64) (intercept: bool) (standardise: bool) : model [d] =
  let total = f64.sum w
  let mean c = f64.sum (map2 (*) w c) / total
  let means = map mean (transpose x)
  let level = mean y
  let columns = transpose (map (\x -> map2 (-) x means) x)
  let covariance = map (\a -> map (\b -> mean (map2 (*) a b)) columns) columns
  let shared = map (\a -> mean (map2 (\a y -> a * (y - level)) a y)) columns
  let variance = mean (map (\y -> (y - level) ** 2) y)
  let deviations = tabulate d (\i -> f64.sqrt covariance[i, i])
  let scales = map (\s -> if s > 0 then 1 / s else 0) deviations
  let deviation = f64.sqrt variance
  -- Without an intercept, the products are around 0.
  let off = f64.bool (!intercept)
  let products =
    tabulate_2d d d (\i j -> scales[i] * scales[j] * (covariance[i, j] + off * means[i] * means[j]))
  let targets = tabulate d (\i -> scales[i] * (shared[i] + off * means[i] * level))
  let relative = map (\s -> if standardise then 1 else s) scales
  let l1 = map (\s -> reg * alpha * s) relative
  let l2 = map (\s -> if deviation > 0 then reg * (1 - alpha) / deviation * s * s else 0) relative
  let penalised = tabulate_2d d d (\i j -> products[i, j] + f64.bool (i == j) * l2[i])
  let (solved, inverse) = solve penalised targets
  let scaled = if reg * alpha > 0 then descend products targets l1 l2 else solved
  let weights = map2 (*) scaled scales
  let bias = f64.bool intercept * (level - f64.sum (map2 (*) weights means))
  -- Of the inverse of the products of the columns, and of the column of ones if there is an intercept.
  let part i j = scales[i] * scales[j] * inverse[i, j] / total
  let of_bias =
    1 / total + f64.sum (tabulate d (\i -> f64.sum (tabulate d (\j -> means[i] * means[j] * part i j))))
  let fit =
    (variance + off * level * level) / 2 - f64.sum (map2 (*) scaled targets)
    + f64.sum (map2 (\a p -> a * f64.sum (map2 (*) p scaled)) scaled products) / 2
  let penalty =
    f64.sum (map2 (\l s -> l * f64.abs s) l1 scaled) + f64.sum (map2 (\l s -> l / 2 * s * s) l2 scaled)
  in {weights, bias, inverse = tabulate (d + 1) (\i -> if i < d then part i i else of_bias),
      loss = fit + penalty}
