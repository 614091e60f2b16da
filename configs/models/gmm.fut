-- | A mixture of Gaussians with full covariances, by maximum likelihood.
--
-- Without an optimiser in the configuration, a step is one of expectation maximisation; with one, the
-- negative logarithm of the likelihood goes down its gradient. The parameters are free of
-- constraints: weights are a softmax, and a covariance C is given by the lower triangular inverse of
-- its Cholesky factor, whose diagonal is given by its logarithms.
--
-- Columns: `x`, the points.

open import "common"
open class_scores f64

type model [k] [d] = {logits: [k]f64, means: [k][d]f64, logs: [k][d]f64, below: [k][d][d]f64}

def weights [k] (logits: [k]f64) : [k]f64 =
  let whole = logsumexp logits
  in map (\l -> f64.exp (l - whole)) logits

-- | The inverse factor of one component.
def factor [d] (logs: [d]f64) (below: [d][d]f64) : [d][d]f64 =
  tabulate_2d d d (\i j -> if j < i then below[i, j] else if i == j then f64.exp logs[i] else 0)

-- | What the densities of all points have in common: the logarithm of a component's density at its
-- mean, and the inverse factors.
def common [k] [d] (m: model [k] [d]) : ([k]f64, [k][d][d]f64) =
  let whole = logsumexp m.logits
  let constant = f64.i64 d / 2 * f64.log (2 * f64.pi)
  in (map2 (\logit logs -> logit - whole + f64.sum logs - constant) m.logits m.logs,
      map2 factor m.logs m.below)

-- | The logarithms of the weighted densities of all components at a point.
def densities [k] [d] (m: model [k] [d]) (constants: [k]f64, factors: [k][d][d]f64) (x: [d]f64) : [k]f64 =
  let density c factor mean =
    let r = map2 (-) x mean
    let z = map (\row -> f64.sum (map2 (*) row r)) factor
    in c - f64.sum (map (** 2) z) / 2
  in map3 density constants factors m.means

-- | The mean of the negative logarithms of the likelihoods.
entry loss [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : f64 =
  let c = common m
  in -f64.sum (map (\x -> logsumexp (densities m c x)) x) / f64.i64 n

-- | The Cholesky factor of a positive definite matrix, column by column.
def cholesky [d] (a: [d][d]f64) : [d][d]f64 =
  loop l = replicate d (replicate d 0) for j < d do
    let dot i = f64.sum (map (\c -> l[i, c] * l[j, c]) (iota j))
    let pivot = f64.sqrt (a[j, j] - dot j)
    let column = map (\i -> if i < j then 0 else if i == j then pivot else (a[i, j] - dot i) / pivot) (iota d)
    in l with [:, j] = column

-- | The inverse of a lower triangular matrix, row by row.
def inverse [d] (l: [d][d]f64) : [d][d]f64 =
  loop q = replicate d (replicate d 0) for i < d do
    let row j = f64.bool (i == j) - f64.sum (map (\c -> l[i, c] * q[c, j]) (iota i))
    in q with [i] = map (\j -> row j / l[i, i]) (iota d)

def of_covariance [d] (covariance: [d][d]f64) : ([d]f64, [d][d]f64) =
  let q = inverse (cholesky covariance)
  in (map (\i -> f64.log q[i, i]) (iota d), tabulate_2d d d (\i j -> if j < i then q[i, j] else 0))

-- | A step of expectation maximisation, and the loss before it. The sums that it needs, of the
-- responsibilities r of a component and of r (x - mean) and r (x - mean) (x - mean)^T, are the
-- derivatives of the logarithm of the likelihood by the component's natural parameters around its
-- mean. `floor` is added to the variances, so that no component becomes flat.
entry step [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (floor: f64) : (model [k] [d], f64) =
  let rows = f64.i64 n
  let (constants, qs) = common m
  let precisions = map (\q -> map (\a -> map (\b -> f64.sum (map2 (*) a b)) (transpose q)) (transpose q)) qs
  let likelihood (c: [k]f64, h: [k][d]f64, q: [k][d][d]f64) : f64 =
    let of_row x =
      logsumexp (map4 (\c h q mean ->
                         let r = map2 (-) x mean
                         let z = map2 (\h q -> h + f64.sum (map2 (*) q r)) h q
                         in c + f64.sum (map2 (*) z r))
                      c h q m.means)
    in f64.sum (map of_row x)
  let (total, (counts, firsts, seconds)) =
    vjp2 likelihood
         (constants, replicate k (replicate d 0), map (map (map (* (-0.5)))) precisions)
         1
  let update c =
    if counts[c] < 1e-9 * rows
    then (m.means[c], m.logs[c], m.below[c])
    else
      let shift = map (/ counts[c]) firsts[c]
      let covariance =
        tabulate_2d d d (\i j ->
          seconds[c, i, j] / counts[c] - shift[i] * shift[j] + floor * f64.bool (i == j))
      let (logs, below) = of_covariance covariance
      in (map2 (+) m.means[c] shift, logs, below)
  let (means, logs, below) = unzip3 (tabulate k update)
  in ({logits = map (\c -> f64.log (f64.max 1e-300 (c / rows))) counts, means, logs, below}, -total / rows)

-- | The means begin at rows that are far from each other, and the variances as those of all rows; some
-- steps over the sample follow, because a gradient leads to a good mixture only from near it.
entry init [n] [d] (x: [n][d]f64) (components: i64) (seed: i64) (floor: f64) : model [components] [d] =
  let mean = map (\c -> f64.sum c / f64.i64 n) (transpose x)
  let logs =
    map2 (\c m -> -f64.log (f64.sum (map (\v -> (v - m) ** 2) c) / f64.i64 n + f64.max floor 1e-12) / 2)
         (transpose x) mean
  let start : model [components] [d] =
    {logits = replicate components 0,
     means = plus_plus seed components x,
     logs = replicate components logs,
     below = replicate components (replicate d (replicate d 0))}
  in loop m = start for _i < 20 do (step m x floor).0

-- | The component that has most of a row, and how much of it.
entry predict [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : {component: [n]i64, probability: [n]f64} =
  let all = common m
  let of_row x =
    let s = densities m all x
    let c = class s
    in (c, f64.exp (s[c] - logsumexp s))
  let (components, probabilities) = unzip (map of_row x)
  in {component = components, probability = probabilities}
