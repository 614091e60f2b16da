-- | What several models use: the classes of scores, numbers that look random, rows of the data that are
-- far from each other, and systems of equations.

-- | Scores are logarithms of weights.
module class_scores (R: real) = {
  -- | The logarithm of the sum of the weights. No exponential in it can overflow. Its derivative is
  -- the part that each weight has of the sum.
  def logsumexp [k] (s: [k]R.t) : R.t =
    with_vjp_tape (\s ->
                     let most = R.maximum s
                     let weights = map (\s -> R.exp (s R.- most)) s
                     let sum = R.sum weights
                     in (most R.+ R.log sum, (weights, sum)))
                  (\(weights, sum) y -> map (\w -> w R.* (y R./ sum)) weights)
                  s

  -- | The number of the highest score; of equal ones, the first.
  def class [k] (s: [k]R.t) : i64 =
    (reduce_comm (\(s, i) (t, j) -> if s R.> t || (s R.== t && i < j) then (s, i) else (t, j))
                 (R.lowest, k)
                 (zip s (iota k))).1
}

-- | The number from 0 to less than 1 that belongs to a seed and to `i` (SplitMix64; Steele, Lea and
-- Flood, "Fast splittable pseudorandom number generators", 2014).
def uniform (seed: i64) (i: i64) : f64 =
  let z = u64.i64 i * 0x9E3779B97F4A7C15 + u64.i64 seed * 0xD1B54A32D192ED03 + 0x9E3779B97F4A7C15
  let z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
  let z = (z ^ (z >> 27)) * 0x94D049BB133111EB
  in f64.u64 ((z ^ (z >> 31)) >> 11) / 9007199254740992

-- | A number with the normal distribution, of mean 0 and variance 1 (Box and Muller, 1958).
def normal (seed: i64) (i: i64) : f64 =
  f64.sqrt (-2 * f64.log (1 - uniform seed (2 * i))) * f64.cos (2 * f64.pi * uniform seed (2 * i + 1))

def squared_distance [d] (a: [d]f64) (b: [d]f64) : f64 = f64.sum (map2 (\x y -> (x - y) ** 2) a b)

-- | `k` rows, each chosen with a probability that is proportional to its weight, and all but the first
-- also to the square of its distance from the nearest one before it (k-means++; Arthur and
-- Vassilvitskii, 2007). Where all rows are chosen already, rows repeat.
def weighted_plus_plus [n] [d] (seed: i64) (k: i64) (weights: [n]f64) (x: [n][d]f64) : [k][d]f64 =
  let chosen c (weights: [n]f64) =
    let reached = scan (+) 0 weights
    let goal = uniform seed c * reached[n - 1]
    in x[i64.min (n - 1) (i64.sum (map (\r -> i64.bool (r <= goal)) reached))]
  let first = chosen 0 weights
  let (centres, _) =
    loop (centres, nearest) = (replicate k first, map (squared_distance first) x)
    for c in 1..<k do
      let row = chosen c (map2 (*) weights nearest)
      in (centres with [c] = copy row, map2 (\old x -> f64.min old (squared_distance row x)) nearest x)
  in centres

def plus_plus [n] [d] (seed: i64) (k: i64) (x: [n][d]f64) : [k][d]f64 =
  weighted_plus_plus seed k (replicate n 1) x

-- | Where the columns of `x` have their middle, and how far they go from it: their means and standard
-- deviations. A column of equal numbers has the deviation 1. Means are those of differences from the first
-- row, as the rounded mean of equal numbers would differ from them; and squares are those of parts of the
-- largest difference, as those of large numbers would be infinite.
type scale [d] = {mean: [d]f64, deviation: [d]f64}

def scale_of [n] [d] (x: [n][d]f64) : scale [d] =
  let rows = f64.i64 n
  let first = if n > 0 then x[0] else replicate d 0
  let none = replicate d 0
  let offset = map (/ rows) (map (map2 (\m x -> x - m) first) x |> reduce_comm (map2 (+)) none)
  let mean = map2 (+) first offset
  let far = map (map2 (\m x -> f64.abs (x - m)) mean) x |> reduce_comm (map2 f64.max) none
  let part (m, far) x = if far > 0 then ((x - m) / far) ** 2 else 0
  let squares = map (map2 part (zip mean far)) x |> reduce_comm (map2 (+)) none
  let deviation far s = if far > 0 then far * f64.sqrt (s / rows) else 1
  in {mean, deviation = map2 deviation far squares}

-- | Weights of columns and their bias, if the optimiser has gone from the first ones to the others as
-- if each column had the mean 0 and the deviation 1. Losses whose columns have very different sizes
-- are then as steep in all directions, and few steps lead to the minimum, which stays where it is.
def rescaled [d] (s: scale [d]) (w: [d]f64, b: f64) (w': [d]f64, b': f64) : ([d]f64, f64) =
  let change = map3 (\w w' deviation -> (w' - w) / deviation) w w' s.deviation
  in (map2 (+) w change, b' - f64.sum (map2 (*) change s.mean))

-- | A solution of a symmetric system without negative eigenvalues: Gauss's elimination, which needs no
-- exchanges here, and substitution. An unknown that those before it explain is 0.
def solve [k] (a: [k][k]f64) (b: [k]f64) : [k]f64 =
  let diagonal = tabulate k (\i -> a[i, i])
  let (a, b) =
    loop (a, b) = (copy a, copy b) for i < k do
      let inverse = if a[i, i] > 1e-14 * diagonal[i] then 1 / a[i, i] else 0
      let (a, b) =
        loop (a, b) for j in i + 1..<k do
          let factor = a[j, i] * inverse
          let b[j] = b[j] - factor * b[i]
          let a = loop a for l in i + 1..<k do a with [j, l] = a[j, l] - factor * a[i, l]
          in (a, b)
      in (a with [i, i] = inverse, b)
  in loop b for m < k do
       let i = k - 1 - m
       let known = loop sum = 0 for l in i + 1..<k do sum + a[i, l] * b[l]
       in b with [i] = (b[i] - known) * a[i, i]
