-- | Factorisation of a sparse matrix of ratings by alternating least squares: a rating is about the
-- inner product of a user's factors and an item's (Zhou et al., 2008; the penalty of a row counts
-- its ratings).
--
-- Columns, a row for each rating: `user` and `item`, numbers from 0, and `rating`.

open import "common"

type model [u] [i] [k] = {users: [u][k]f64, items: [i][k]f64}

-- | `users` and `items` say how many there are. Factors begin as small numbers that look random.
entry init (users: i64) (items: i64) (rank: i64) (seed: i64) : model [users] [items] [rank] =
  let start seed rows =
    tabulate_2d rows rank (\i j -> normal seed (i * rank + j) / f64.sqrt (f64.i64 rank))
  in {users = start seed users, items = start (seed + 1) items}

-- | Where the element (i, j) of a lower triangle is in a list of its rows.
def place (i: i64) (j: i64) : i64 = i * (i + 1) / 2 + j

-- | The factors of the rows that `row` numbers, for given factors of the others. For each rating, `counted`
-- gives the weight of the product of the other's factors with each other, that of the factors, and how much of
-- the penalty it brings. `base` is added to the products of each row, and `solution` solves its equations. The
-- products of another's factors are computed once for all of its ratings.
def weighted_half [n] [r] [c] [k] (counted: f64 -> (f64, f64, f64)) (base: [k][k]f64)
                                  (solution: [k][k]f64 -> [k]f64 -> [k]f64)
                                  (old: [r][k]f64) (row: [n]i64) (col: [n]i64) (rating: [n]f64)
                                  (others: [c][k]f64) (l2: f64) : [r][k]f64 =
  let triangle = k * (k + 1) / 2
  let rows =
    tabulate triangle (\e -> i64.sum (map (\i -> i64.bool (place i 0 <= e)) (iota k)) - 1)
  let products (f: [k]f64) : [triangle]f64 =
    map2 (\i e -> f[i] * f[e - place i 0]) rows (iota triangle)
  let squares_of = map products others
  let (square, target, one) = unzip3 (map counted rating)
  let squares =
    hist (map2 (+)) (replicate triangle 0) r row (map2 (\c w -> map (* w) squares_of[c]) col square)
  let targets =
    hist (map2 (+)) (replicate k 0) r row (map2 (\c w -> map (* w) others[c]) col target)
  let counts = hist (+) 0 r row one
  let of_row o (a: [triangle]f64) b count =
    if count == 0
    then o
    else solution (tabulate_2d k k (\i j ->
                     base[i, j] + a[place (i64.max i j) (i64.min i j)] + l2 * count * f64.bool (i == j))) b
  in map4 of_row old squares targets counts

def half [n] [r] [c] [k] (old: [r][k]f64) (row: [n]i64) (col: [n]i64) (rating: [n]f64)
                         (others: [c][k]f64) (l2: f64) : [r][k]f64 =
  weighted_half (\r -> (1, r, 1)) (replicate k (replicate k 0)) solve old row col rating others l2

def squared_error [n] [u] [i] [k] (m: model [u] [i] [k]) (user: [n]i64) (item: [n]i64) (rating: [n]f64) : f64 =
  f64.sum (map3 (\u i r -> (f64.sum (map2 (*) m.users[u] m.items[i]) - r) ** 2) user item rating)

entry step [n] [u] [i] [k] (m: model [u] [i] [k]) (user: [n]i64) (item: [n]i64) (rating: [n]f64) (l2: f64)
  : model [u] [i] [k] =
  let users = half m.users user item rating m.items l2
  in {users, items = half m.items item user rating users l2}

entry metrics [n] [u] [i] [k] (m: model [u] [i] [k]) (user: [n]i64) (item: [n]i64) (rating: [n]f64) : {rmse: f64} =
  {rmse = f64.sqrt (squared_error m user item rating / f64.i64 n)}

entry predict [n] [u] [i] [k] (m: model [u] [i] [k]) (user: [n]i64) (item: [n]i64) : [n]f64 =
  map2 (\u i -> f64.sum (map2 (*) m.users[u] m.items[i])) user item
