-- | k-means for data of any size: the start is k-means|| (Bahmani et al., "Scalable k-means++", 2012),
-- and the steps may take batches (Sculley, "Web-scale k-means clustering", 2010).
--
-- Columns: `x`, the points. `keep` says how much of the earlier steps' points a centre remembers: 0 for
-- steps over all rows, which are Lloyd's, and 1, or a little less, for batches. With
-- `"init": {"rows": "all"}` the start is computed over all rows, otherwise over a sample.

open import "common"

type model [k] [d] = {centres: [k][d]f64, counts: [k]f64}

-- | The nearest centre of a point, and the square of its distance.
def nearest [k] [d] (centres: [k][d]f64) (x: [d]f64) : (i64, f64) =
  let nearer (i, a) (j, b) = if b < a || (b == a && j < i) then (j, b) else (i, a)
  in reduce_comm nearer (k, f64.inf) (zip (iota k) (map (squared_distance x) centres))

-- | The mean of the squared distances.
entry loss [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : f64 =
  f64.sum (map (\x -> (nearest m.centres x).1) x) / f64.i64 n

-- | How many rows each centre is the nearest of, and their sum.
def sums [n] [k] [d] (centres: [k][d]f64) (x: [n][d]f64) : ([k]f64, [k][d]f64) =
  let at = map (\x -> (nearest centres x).0) x
  in (hist (+) 0 k at (map (const 1) at), hist (map2 (+)) (replicate d 0) k at x)

-- | A centre moves to the mean of the points that it is the nearest of, now and before.
entry step [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (keep: f64) : model [k] [d] =
  let (counts, totals) = sums m.centres x
  let all = map2 (\old new -> keep * old + new) m.counts counts
  let moved c old total all =
    if all > 0 then map2 (\c t -> (keep * old * c + t) / all) c total else c
  in {centres = map4 moved m.centres m.counts totals all, counts = all}

-- | Some rounds of `2 * k` rows each, which are chosen with probabilities proportional to their squared
-- distances from those before; of these candidates, weighted by the rows that are near them, k
-- are chosen by k-means++ and moved by Lloyd's steps.
entry init [n] [d] (x: [n][d]f64) (k: i64) (seed: i64) : model [k] [d] =
  let rounds = 5
  let first = x[i64.f64 (uniform seed (-1) * f64.i64 n)]
  let candidates =
    loop candidates = [first] for r < rounds do
      let far = map (\x -> (nearest candidates x).1) x
      let reached = scan (+) 0 far
      let chosen i =
        let goal = uniform seed (r * 2 * k + i) * reached[n - 1]
        in i64.min (n - 1) (i64.sum (map (\r -> i64.bool (r <= goal)) reached))
      let rows = map chosen (iota (2 * k))
      in candidates ++ map (\i -> x[i]) rows
  let (weights, _) = sums candidates x
  let start = weighted_plus_plus (seed + 1) k weights candidates
  let centres =
    loop centres = start for _i < 20 do
      let at = map (\c -> (nearest centres c).0) candidates
      let counts = hist (+) 0 k at weights
      let totals = hist (map2 (+)) (replicate d 0) k at (map2 (\w -> map (* w)) weights candidates)
      in map3 (\c t n -> if n > 0 then map (/ n) t else c) centres totals counts
  in {centres, counts = replicate k 0}

-- | The number of the nearest centre.
entry predict [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : [n]i64 =
  map (\x -> (nearest m.centres x).0) x
