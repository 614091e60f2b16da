-- | k-means of sparse points that are lists of any lengths: of each row only the elements that are not zero
-- are given, as in a CSR matrix. Centres are dense. A row costs as much as it has elements.
--
-- Columns: `length`, how many elements a row has; `place`, where they are, from 0 to `dimensions` - 1, and
-- `value`, what they are, those of one row after those of the other. No row has a place twice.

open import "common"

type model [k] [d] = {centres: [k][d]f64, counts: [k]f64}

def norm [w] (v: [w]f64) : f64 = f64.sum (map (** 2) v)

-- | Where the elements of each row begin.
def begins [n] (length: [n]i64) : [n]i64 = map2 (-) (scan (+) 0 length) length

-- | The nearest centre of a row, and the square of its distance: |x - c|^2 = |c|^2 - 2 <x, c> + |x|^2, in
-- which only elements of the row are multiplied. `norms` are the squares of the centres' lengths.
def nearest [w] [k] [d] (centres: [k][d]f64) (norms: [k]f64) (place: [w]i64) (value: [w]f64) : (i64, f64) =
  let far c size = size - 2 * f64.sum (map2 (\p v -> v * c[p]) place value)
  let nearer (i, a) (j, b) = if b < a || (b == a && j < i) then (j, b) else (i, a)
  let (i, least) = reduce_comm nearer (k, f64.inf) (zip (iota k) (map2 far centres norms))
  in (i, f64.max 0 (norm value + least))

def all_nearest [n] [w] [k] [d] (centres: [k][d]f64) (length: [n]i64) (place: [w]i64) (value: [w]f64) : [n](i64, f64) =
  let norms = map norm centres
  let of_row a l = nearest centres norms place[a:a + l] value[a:a + l]
  in map2 of_row (begins length) length

-- | The sums of the rows that belong to each centre. A row's product with its centre has the row as its
-- derivative by the centre.
def totals [n] [w] (k: i64) (d: i64) (at: [n]i64) (first: [n]i64) (length: [n]i64)
                   (place: [w]i64) (value: [w]f64) : [k][d]f64 =
  let products (centres: [k][d]f64) : f64 =
    let of_row a l c = loop s = 0 for j < l do s + value[a + j] * centres[c, place[a + j]]
    in f64.sum (map3 of_row first length at)
  in vjp products (replicate k (replicate d 0)) 1

-- | The mean of the squared distances.
entry loss [n] [w] [k] [d] (m: model [k] [d]) (length: [n]i64) (place: [w]i64) (value: [w]f64) : f64 =
  f64.sum (map (.1) (all_nearest m.centres length place value)) / f64.i64 n

-- | A centre moves to the mean of the rows that it is the nearest of.
entry step [n] [w] [k] [d] (m: model [k] [d]) (length: [n]i64) (place: [w]i64) (value: [w]f64) : model [k] [d] =
  let at = map (.0) (all_nearest m.centres length place value)
  let counts = hist (+) 0 k at (map (const 1) at)
  let moved c total n = if n > 0 then map (/ n) total else c
  in {centres = map3 moved m.centres (totals k d at (begins length) length place value) counts, counts}

-- | The seed chooses about twenty rows for each centre, which is their mean.
entry init [n] [w] (length: [n]i64) (place: [w]i64) (value: [w]f64) (k: i64) (dimensions: i64) (seed: i64)
  : model [k] [dimensions] =
  let chosen = map (\i -> uniform seed i < f64.i64 (20 * k) / f64.i64 n) (iota n)
  let at = map (\i -> i64.f64 (uniform (seed + 1) i * f64.i64 k)) (iota n)
  let counts = hist (+) 0 k at (map f64.bool chosen)
  let some = map2 (\c l -> if c then l else 0) chosen length
  let sums = totals k dimensions at (begins length) some place value
  in {centres = map2 (\t c -> map (/ f64.max 1 c) t) sums counts, counts = replicate k 0}

-- | The number of the nearest centre.
entry predict [n] [w] [k] [d] (m: model [k] [d]) (length: [n]i64) (place: [w]i64) (value: [w]f64) : [n]i64 =
  map (.0) (all_nearest m.centres length place value)
