-- | A mixture of Gaussians with diagonal covariances, by maximum likelihood.
--
-- Without an optimiser in the configuration, a step is one of expectation maximisation; with one, the
-- negative logarithm of the likelihood goes down its gradient. Weights are a softmax, and a deviation
-- is given by the logarithm of its inverse, so that no parameter has constraints.
--
-- Columns: `x`, the points.

open import "common"
open class_scores f64

type model [k] [d] = {logits: [k]f64, means: [k][d]f64, logs: [k][d]f64}

-- | The logarithms of the weighted densities of all components at a point.
def densities [k] [d] (m: model [k] [d]) (x: [d]f64) : [k]f64 =
  let whole = logsumexp m.logits
  let constant = f64.i64 d / 2 * f64.log (2 * f64.pi)
  let density logit mean logs =
    let z = map3 (\x mean log -> (x - mean) * f64.exp log) x mean logs
    in logit - whole + f64.sum logs - constant - f64.sum (map (** 2) z) / 2
  in map3 density m.logits m.means m.logs

-- | The mean of the negative logarithms of the likelihoods.
entry loss [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : f64 =
  -f64.sum (map (\x -> logsumexp (densities m x)) x) / f64.i64 n

-- | A step of expectation maximisation, and the loss before it. The sums that it needs, of the
-- responsibilities r of a component and of r (x - mean) and r (x - mean)^2, are the derivatives of the
-- logarithm of the likelihood by the component's natural parameters around its mean. `floor` is added
-- to the variances, so that no component becomes flat.
entry step [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (floor: f64) : (model [k] [d], f64) =
  let rows = f64.i64 n
  let whole = logsumexp m.logits
  let constants =
    map2 (\logit logs -> logit - whole + f64.sum logs - f64.i64 d / 2 * f64.log (2 * f64.pi)) m.logits m.logs
  let likelihood (c: [k]f64, h: [k][d]f64, q: [k][d]f64) : f64 =
    let of_row x =
      logsumexp (map4 (\c h q mean ->
                         c + f64.sum (map4 (\h q x mean -> (h + q * (x - mean)) * (x - mean)) h q x mean))
                      c h q m.means)
    in f64.sum (map of_row x)
  let (total, (counts, firsts, seconds)) =
    vjp2 likelihood
         (constants, replicate k (replicate d 0), map (map (\log -> -0.5 * f64.exp (2 * log))) m.logs)
         1
  let update count first second mean log =
    if count < 1e-9 * rows
    then (mean, log)
    else let shift = first / count
         in (mean + shift, -f64.log (second / count - shift * shift + floor) / 2)
  let (means, logs) =
    map5 (\count -> map4 (update count)) counts firsts seconds m.means m.logs |> map unzip |> unzip
  in ({logits = map (\c -> f64.log (f64.max 1e-300 (c / rows))) counts, means, logs}, -total / rows)

-- | The means begin at rows that are far from each other, and the variances as those of all rows; some
-- steps over the sample follow, because a gradient leads to a good mixture only from near it.
entry init [n] [d] (x: [n][d]f64) (components: i64) (seed: i64) (floor: f64) : model [components] [d] =
  let mean = map (\c -> f64.sum c / f64.i64 n) (transpose x)
  let logs =
    map2 (\c m -> -f64.log (f64.sum (map (\v -> (v - m) ** 2) c) / f64.i64 n + f64.max floor 1e-12) / 2)
         (transpose x) mean
  let start : model [components] [d] =
    {logits = replicate components 0, means = plus_plus seed components x, logs = replicate components logs}
  in loop m = start for _i < 20 do (step m x floor).0

-- | The component that has most of a row, and how much of it.
entry predict [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : {component: [n]i64, probability: [n]f64} =
  let of_row x =
    let s = densities m x
    let c = class s
    in (c, f64.exp (s[c] - logsumexp s))
  let (components, probabilities) = unzip (map of_row x)
  in {component = components, probability = probabilities}
