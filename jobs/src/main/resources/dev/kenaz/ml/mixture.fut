-- | A mixture of Gaussians by expectation maximisation, as the estimator GaussianMixture of Spark's MLlib has
-- it: until the logarithm of the likelihood changes by less than `tol`.

module mixture = import "builtin:gmm"

type model [k] [d] =
  {weights: [k]f64, means: [k][d]f64, covariances: [k][d][d]f64, likelihood: f64, iterations: i64}

-- | The covariance whose inverse is the square of a factor.
def covariance [d] (factor: [d][d]f64) : [d][d]f64 =
  let q = mixture.inverse factor
  in map (\a -> map (\b -> f64.sum (map2 (*) a b)) q) q

def train [n] [d] (x: [n][d]f64) (k: i64) (max_iter: i64) (tol: f64) (seed: i64) : model [k] [d] =
  let rows = f64.i64 n
  let few = i64.min n 1000
  let sample = map (\i -> x[i64.f64 (f64.i64 i * rows / f64.i64 few)]) (iota few)
  let floor = 1e-9
  let start : mixture.model [k] [d] = mixture.init sample k seed floor
  let (m, loss, _, iterations) =
    loop (m, loss, before, i) = (start, 0, f64.inf, 0) while i < max_iter && f64.abs (loss - before) * rows > tol do
      let (next, now) = mixture.step m x floor
      in (next, now, loss, i + 1)
  in {weights = mixture.weights m.logits, means = m.means,
      covariances = map2 (\logs below -> covariance (mixture.factor logs below)) m.logs m.below,
      likelihood = -loss * rows, iterations}
