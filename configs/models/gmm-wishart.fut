-- | A mixture of Gaussians with full covariances and a Wishart prior on them, in ADBench's
-- formulation: the lower triangle of a component's inverse factor is packed into one row `icf`, first
-- the logarithms of its diagonal, then what is below it, column by column.
--
-- Columns: `x`, the points. Parameters: `gamma` and `freedom` of the prior, `components`.

open import "common"
module full = import "gmm"

type model [k] [d] [c] = {alphas: [k]f64, means: [k][d]f64, icf: [k][c]f64}

-- | Where the element (i, j) below the diagonal is in a row, after the diagonal.
def below (d: i64) (i: i64) (j: i64) : i64 = d * j - j * (j + 1) / 2 + i - j - 1

def unpacked [k] [d] [c] (m: model [k] [d] [c]) : full.model [k] [d] =
  {logits = m.alphas,
   means = m.means,
   logs = map (take d) m.icf,
   below = map (\q -> tabulate_2d d d (\i j -> if j < i then q[d + below d i j] else 0)) m.icf}

-- | The logarithm of the multivariate gamma function.
def log_gamma (a: f64) (d: i64) : f64 =
  0.25 * f64.i64 (d * (d - 1)) * f64.log f64.pi
  + f64.sum (tabulate d (\j -> f64.lgamma (a - 0.5 * f64.i64 j)))

-- | The negative logarithm of the prior.
def prior [k] [d] [c] (m: model [k] [d] [c]) (gamma: f64) (freedom: i64) : f64 =
  let n = f64.i64 (d + freedom + 1)
  let constant = n * f64.i64 d * (f64.log gamma - 0.5 * f64.log 2) - log_gamma (0.5 * n) d
  let of_component q =
    let squares = f64.sum (map (\l -> f64.exp (2 * l)) (take d q)) + f64.sum (map (** 2) (drop d q))
    in 0.5 * gamma * gamma * squares - f64.i64 freedom * f64.sum (take d q)
  in f64.sum (map of_component m.icf) - f64.i64 k * constant

-- | ADBench's objective: the logarithm of the likelihood and `prior`. (The logarithm of the posterior
-- would be without `prior`'s sign.)
def objective [n] [k] [d] [c] (m: model [k] [d] [c]) (x: [n][d]f64) (gamma: f64) (freedom: i64) : f64 =
  prior m gamma freedom - f64.i64 n * full.loss (unpacked m) x

-- | The negative logarithm of the posterior, for each row.
entry loss [n] [k] [d] [c] (m: model [k] [d] [c]) (x: [n][d]f64) (gamma: f64) (freedom: i64) : f64 =
  full.loss (unpacked m) x + prior m gamma freedom / f64.i64 n

entry init [n] [d] (x: [n][d]f64) (components: i64) (seed: i64)
  : model [components] [d] [d * (d + 1) / 2] =
  let m = full.init x components seed 1e-3
  let packed logs q =
    let column e = i64.sum (map (\j -> i64.bool (d + below d (j + 1) j <= e)) (iota (d - 1))) - 1
    let element e = let j = column e in q[e - d - below d 0 j, j]
    in tabulate (d * (d + 1) / 2) (\e -> if e < d then logs[e] else element e)
  in {alphas = m.logits, means = m.means, icf = map2 packed m.logs m.below}

entry predict [n] [k] [d] [c] (m: model [k] [d] [c]) (x: [n][d]f64)
  : {component: [n]i64, probability: [n]f64} =
  full.predict (unpacked m) x
