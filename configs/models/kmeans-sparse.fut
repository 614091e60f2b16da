-- | k-means of sparse points: of each row only the elements that are not zero are given, as in a row of a
-- CSR matrix. Centres are dense. A row costs as much as it has elements, not as many as there are
-- dimensions.
--
-- Columns: `place`, where a row's elements are, from 0 to `dimensions` - 1, and `value`, what they are: two
-- columns of lists of equal lengths. A row with fewer elements has values of 0 for the rest. No
-- other place is there twice.

open import "common"

type model [k] [d] = {centres: [k][d]f64, counts: [k]f64}

def norm [m] (v: [m]f64) : f64 = f64.sum (map (** 2) v)

-- | The nearest centre of a row, and the square of its distance: |x - c|^2 = |c|^2 - 2 <x, c> + |x|^2, in
-- which only elements of the row are multiplied. `norms` are the squares of the centres' lengths.
def nearest [w] [k] [d] (centres: [k][d]f64) (norms: [k]f64) (place: [w]i64) (value: [w]f64) : (i64, f64) =
  let far c size = size - 2 * f64.sum (map2 (\p v -> v * c[p]) place value)
  let nearer (i, a) (j, b) = if b < a || (b == a && j < i) then (j, b) else (i, a)
  let (i, least) = reduce_comm nearer (k, f64.inf) (zip (iota k) (map2 far centres norms))
  in (i, f64.max 0 (norm value + least))

-- | The mean of the squared distances.
entry loss [n] [w] [k] [d] (m: model [k] [d]) (place: [n][w]i64) (value: [n][w]f64) : f64 =
  let norms = map norm m.centres
  in f64.sum (map2 (\p v -> (nearest m.centres norms p v).1) place value) / f64.i64 n

-- | A centre moves to the mean of the rows that it is the nearest of, now and before: `keep` says how much of
-- the earlier steps' rows it remembers, 0 for steps over all rows and 1, or a little less, for batches.
entry step [n] [w] [k] [d] (m: model [k] [d]) (place: [n][w]i64) (value: [n][w]f64) (keep: f64) : model [k] [d] =
  let norms = map norm m.centres
  let at = map2 (\p v -> (nearest m.centres norms p v).0) place value
  let counts = hist (+) 0 k at (map (const 1) at)
  let places = flatten (map2 (\c p -> map (+ c * d) p) at place)
  let totals = unflatten (hist (+) 0 (k * d) places (flatten value))
  let all = map2 (\old new -> keep * old + new) m.counts counts
  let moved c old total all =
    if all > 0 then map2 (\c t -> (keep * old * c + t) / all) c total else c
  in {centres = map4 moved m.centres m.counts totals all, counts = all}

-- | Rows of a sample that are far from each other (k-means++).
entry init [n] [w] (place: [n][w]i64) (value: [n][w]f64) (k: i64) (dimensions: i64) (seed: i64)
  : model [k] [dimensions] =
  let dense i : [dimensions]f64 = hist (+) 0 dimensions place[i] value[i]
  let far (c: [dimensions]f64) = map2 (\p v -> (nearest [c] [norm c] p v).1) place value
  let chosen c (weights: [n]f64) =
    let reached = scan (+) 0 weights
    let goal = uniform seed c * reached[n - 1]
    in i64.min (n - 1) (i64.sum (map (\r -> i64.bool (r <= goal)) reached))
  let first = dense (chosen 0 (replicate n 1))
  let (centres, _) =
    loop (centres, distances) = (replicate k first, far first) for c in 1..<k do
      let row = dense (chosen c distances)
      in (centres with [c] = row, map2 f64.min distances (far row))
  in {centres, counts = replicate k 0}

-- | The number of the nearest centre.
entry predict [n] [w] [k] [d] (m: model [k] [d]) (place: [n][w]i64) (value: [n][w]f64) : [n]i64 =
  let norms = map norm m.centres
  in map2 (\p v -> (nearest m.centres norms p v).0) place value
