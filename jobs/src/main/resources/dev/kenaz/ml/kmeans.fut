-- | Lloyd's iterations from the start k-means|| (Bahmani et al., "Scalable k-means++", 2012), or from rows at
-- random, as the estimator KMeans of Spark's MLlib has them. What follows this text is `train`, with
-- weights of rows or without.

import "builtin:common"

type model [k] [d] = {centres: [k][d]f64, cost: f64, iterations: i64}

def squared_distance [d] (a: [d]f64) (b: [d]f64) : f64 = f64.sum (map2 (\x y -> (x - y) * (x - y)) a b)

-- | The nearest centre of a point, and the square of its distance.
def nearest [k] [d] (centres: [k][d]f64) (x: [d]f64) : (i64, f64) =
  let nearer (i, a) (j, b) = if b < a || (b == a && j < i) then (j, b) else (i, a)
  in reduce_comm nearer (k, f64.inf) (zip (iota k) (map (squared_distance x) centres))

-- | The weight that each centre is the nearest of, the weighted sum of these rows, and the cost.
def sums [n] [k] [d] (centres: [k][d]f64) (x: [n][d]f64) (w: [n]f64) : ([k]f64, [k][d]f64, f64) =
  let (at, far) = unzip (map (nearest centres) x)
  in (hist (+) 0 k at w,
      hist (map2 (+)) (replicate d 0) k at (map2 (\w x -> map (* w) x) w x),
      f64.sum (map2 (*) w far))

def moved [k] [d] (centres: [k][d]f64) (counts: [k]f64) (totals: [k][d]f64) : [k][d]f64 =
  map3 (\c t n -> if n > 0 then map (/ n) t else c) centres totals counts

-- | `rounds` times `2 * k` rows, which are chosen with probabilities proportional to their weighted squared
-- distances from those before; of these, k are chosen by k-means++ and moved by Lloyd's steps. Of eight
-- such choices the best is taken.
def parallel_start [n] [d] (x: [n][d]f64) (w: [n]f64) (k: i64) (rounds: i64) (seed: i64) : [k][d]f64 =
  let first = x[i64.f64 (uniform seed (-1) * f64.i64 n)]
  let candidates =
    loop candidates = [first] for r < rounds do
      let far = map2 (\w x -> w * (nearest candidates x).1) w x
      let reached = scan (+) 0 far
      let chosen i =
        let goal = uniform seed (r * 2 * k + i) * reached[n - 1]
        in i64.min (n - 1) (i64.sum (map (\r -> i64.bool (r <= goal)) reached))
      let rows = map chosen (iota (2 * k))
      in candidates ++ map (\i -> x[i]) rows
  let (weights, _, _) = sums candidates x w
  let attempt r =
    let start = weighted_plus_plus (seed * 1000 + r) k weights candidates
    let centres =
      loop centres = start for _i < 30 do
        let (counts, totals, _) = sums centres candidates weights
        in moved centres counts totals
    let (_, _, cost) = sums centres candidates weights
    in (centres, cost)
  let (best, _) =
    loop (best, least) = attempt 0 for r in 1..<8 do
      let (centres, cost) = attempt r
      in if cost < least then (centres, cost) else (best, least)
  in best

-- | A row of each k-th part of the rows.
def random_start [n] [d] (x: [n][d]f64) (k: i64) (seed: i64) : [k][d]f64 =
  let row i = i64.min (n - 1) (i64.f64 ((f64.i64 i + uniform seed i) * f64.i64 n / f64.i64 k))
  in map (\i -> x[row i]) (iota k)

-- | Steps until no centre moves further than `tol`. The cost is that of the last step's rows.
def lloyd [n] [k] [d] (start: [k][d]f64) (x: [n][d]f64) (w: [n]f64) (max_iter: i64) (tol: f64) : model [k] [d] =
  let (centres, cost, iterations, _) =
    loop (centres, _, i, far) = (start, 0, 0, true) while far && i < max_iter do
      let (counts, totals, cost) = sums centres x w
      let next = moved centres counts totals
      let far = any (> tol * tol) (map2 squared_distance next centres)
      in (next, cost, i + 1, far)
  in {centres, cost, iterations}
