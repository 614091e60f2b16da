-- The log-likelihood of a Gaussian mixture with spherical covariances, and its gradient.
-- ==
-- entry: objective
-- input { [0f64, 0f64] [[0f64], [1f64]] [0f64, 0f64] [[0f64], [1f64], [0.5f64]] } output { -0.563140f64 }

-- ==
-- entry: gradient
-- input { [0f64, 0f64] [[0f64], [1f64]] [0f64, 0f64] [[0f64], [1f64], [0.5f64]] }
-- output { [0.000000f64, 0.000000f64] [[0.627541f64], [-0.627541f64]] [0.997459f64, 0.997459f64] }

def logsumexp [n] (xs: [n]f64) : f64 =
  let m = f64.maximum xs
  in m + f64.log (f64.sum (map (\x -> f64.exp (x - m)) xs))

def likelihood [k] [d] [n] (alphas: [k]f64) (means: [k][d]f64) (icf: [k]f64) (xs: [n][d]f64) : f64 =
  let cluster (x: [d]f64) (alpha: f64) (mean: [d]f64) (q: f64) =
    alpha + f64.i64 d * q
    - 0.5 * f64.sum (map2 (\a b -> (f64.exp q * (a - b)) ** 2) x mean)
  let per_point (x: [d]f64) = logsumexp (map3 (cluster x) alphas means icf)
  in f64.sum (map per_point xs) - f64.i64 n * logsumexp alphas

entry objective [k] [d] [n] (a: [k]f64) (m: [k][d]f64) (q: [k]f64) (xs: [n][d]f64) =
  likelihood a m q xs

entry gradient [k] [d] [n] (alphas: [k]f64) (means: [k][d]f64) (icf: [k]f64) (xs: [n][d]f64) =
  vjp (\(a, m, q) -> likelihood a m q xs) (alphas, means, icf) 1
