-- The log-likelihood of a Gaussian mixture with a Wishart prior, as ADBench defines it. A component
-- has a weight alpha, a mean, and the inverse factor of its covariance: the logarithms of its
-- diagonal, and what is below it, column by column, in one row of `icf`.

-- | Where element (i, j) below the diagonal stands in a row of `icf`, after the diagonal.
def below (d: i64) (i: i64) (j: i64): i64 = d * j - j * (j + 1) / 2 + i - j - 1

def logsumexp [n] (xs: [n]f64): f64 =
  let m = f64.maximum xs
  in m + f64.log (f64.sum (map (\x -> f64.exp (x - m)) xs))

def square_norm [n] (xs: [n]f64): f64 = f64.sum (map (\x -> x * x) xs)

-- | The logarithm of the multivariate gamma function.
def log_gamma (a: f64) (d: i64): f64 =
  0.25 * f64.i64 (d * (d - 1)) * f64.log f64.pi
  + f64.sum (map (\j -> f64.lgamma (a - 0.5 * f64.i64 j)) (iota d))

def objective [k] [d] [c] [n]
              (alphas: [k]f64)
              (means: [k][d]f64)
              (icf: [k][c]f64)
              (xs: [n][d]f64)
              (gamma: f64)
              (m: i64): f64 =
  let diagonals = map (\q -> map f64.exp (take d q)) icf
  let sums = map (\q -> f64.sum (take d q)) icf
  let factors =
    map (\q -> tabulate_2d d d (\i j -> if j < i then q[d + below d i j] else 0)) icf
  let density (x: [d]f64) (alpha: f64) (mean: [d]f64) (sum: f64) (diagonal: [d]f64) (l: [d][d]f64) =
    let centred = map2 (-) x mean
    let scaled =
      map3 (\q y row -> q * y + f64.sum (map2 (*) row centred)) diagonal centred l
    in alpha + sum - 0.5 * square_norm scaled
  let likelihood (x: [d]f64) = logsumexp (map5 (density x) alphas means sums diagonals factors)
  let total = f64.sum (map likelihood xs)
  let prior (diagonal: [d]f64) (sum: f64) (q: [c]f64) =
    0.5 * gamma * gamma * (square_norm diagonal + square_norm (drop d q)) - f64.i64 m * sum
  let freedom = f64.i64 (d + m + 1)
  let constant =
    freedom * f64.i64 d * f64.log (gamma / f64.sqrt 2) - log_gamma (0.5 * freedom) d
  in total - f64.i64 n * (0.5 * f64.i64 d * f64.log (2 * f64.pi) + logsumexp alphas)
     + f64.sum (map3 prior diagonals sums icf)
     - f64.i64 k * constant

entry gmm [k] [d] [c] [n]
          (alphas: [k]f64)
          (means: [k][d]f64)
          (icf: [k][c]f64)
          (xs: [n][d]f64)
          (gamma: f64)
          (m: i64) =
  objective alphas means icf xs gamma m

entry gmm_ad [k] [d] [c] [n]
             (alphas: [k]f64)
             (means: [k][d]f64)
             (icf: [k][c]f64)
             (xs: [n][d]f64)
             (gamma: f64)
             (m: i64) =
  vjp2 (\(alphas, means, icf) -> objective alphas means icf xs gamma m) (alphas, means, icf) 1
