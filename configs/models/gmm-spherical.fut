-- | A mixture of spherical Gaussians, by maximum likelihood: the covariance of a component is a number
-- times the identity.
--
-- Without an optimiser in the configuration, a step is one of expectation maximisation; with one, the
-- negative logarithm of the likelihood goes down its gradient. Weights are a softmax, and a deviation
-- is given by the logarithm of its inverse, so that no parameter has constraints.
--
-- Columns: `x`, the points.

open import "common"
open class_scores f64

type model [k] [d] = {logits: [k]f64, means: [k][d]f64, logs: [k]f64}

-- | The logarithms of the weighted densities of all components at a point.
def densities [k] [d] (m: model [k] [d]) (x: [d]f64) : [k]f64 =
  let whole = logsumexp m.logits
  let constant = f64.i64 d / 2 * f64.log (2 * f64.pi)
  let density logit mean log =
    logit - whole + f64.i64 d * log - constant - f64.exp (2 * log) * squared_distance x mean / 2
  in map3 density m.logits m.means m.logs

-- | The mean of the negative logarithms of the likelihoods.
entry loss [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : f64 =
  -f64.sum (map (\x -> logsumexp (densities m x)) x) / f64.i64 n

-- | A step of expectation maximisation, and the loss before it. The sums that it needs, of the
-- responsibilities r of a component and of r (x - mean) and r |x - mean|^2, are the derivatives of the
-- logarithm of the likelihood by the component's natural parameters around its mean. `floor` is added
-- to the variances, so that no component becomes flat.
entry step [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (floor: f64) : (model [k] [d], f64) =
  let rows = f64.i64 n
  let whole = logsumexp m.logits
  let constants =
    map2 (\logit log -> logit - whole + f64.i64 d * (log - f64.log (2 * f64.pi) / 2)) m.logits m.logs
  let likelihood (c: [k]f64, h: [k][d]f64, q: [k]f64) : f64 =
    let of_row x =
      logsumexp (map4 (\c h q mean ->
                         c + f64.sum (map3 (\h x mean -> (h + q * (x - mean)) * (x - mean)) h x mean))
                      c h q m.means)
    in f64.sum (map of_row x)
  let (total, (counts, firsts, seconds)) =
    vjp2 likelihood
         (constants, replicate k (replicate d 0), map (\log -> -0.5 * f64.exp (2 * log)) m.logs)
         1
  let update count first second mean log =
    if count < 1e-9 * rows
    then (mean, log)
    else let shift = map (/ count) first
         let variance = (second / count - f64.sum (map (** 2) shift)) / f64.i64 d
         in (map2 (+) mean shift, -f64.log (variance + floor) / 2)
  let (means, logs) = unzip (map5 update counts firsts seconds m.means m.logs)
  in ({logits = map (\c -> f64.log (f64.max 1e-300 (c / rows))) counts, means, logs}, -total / rows)

-- | The means begin at rows that are far from each other, and the variances as those of all rows; some
-- steps over the sample follow, because a gradient leads to a good mixture only from near it.
entry init [n] [d] (x: [n][d]f64) (components: i64) (seed: i64) (floor: f64) : model [components] [d] =
  let mean = map (\c -> f64.sum c / f64.i64 n) (transpose x)
  let variance = f64.sum (map (squared_distance mean) x) / f64.i64 (n * d)
  let log = -f64.log (variance + f64.max floor 1e-12) / 2
  let start : model [components] [d] =
    {logits = replicate components 0, means = plus_plus seed components x, logs = replicate components log}
  in loop m = start for _i < 20 do (step m x floor).0

-- | The component that has most of a row, and how much of it.
entry predict [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : {component: [n]i64, probability: [n]f64} =
  let of_row x =
    let s = densities m x
    let c = class s
    in (c, f64.exp (s[c] - logsumexp s))
  let (components, probabilities) = unzip (map of_row x)
  in {component = components, probability = probabilities}
