-- | Factors of users and items, as the estimator ALS of Spark's MLlib has them: by alternating least squares,
-- for ratings, or for what is implicit in how often something was used (Hu, Koren and Volinsky, 2008).
--
-- Columns, a row for each rating: `user` and `item`, numbers from 0, and `rating`.

module ratings = import "builtin:factorisation"

type model [u] [i] [k] = {users: [u][k]f64, items: [i][k]f64}

-- | The least x'ax / 2 - b'x where no number of x is negative, one number after the other, until none of them
-- changes by more than a billionth of the largest.
def nonnegative_solution [k] (a: [k][k]f64) (b: [k]f64) : [k]f64 =
  let better (x: *[k]f64) : (*[k]f64, f64) =
    loop (x, change) = (x, 0) for j < k do
      let z = f64.max 0 (x[j] + (b[j] - f64.sum (map2 (*) a[j] x)) / a[j, j])
      let far = f64.abs (z - x[j])
      in (x with [j] = z, f64.max change far)
  let (x, _, _) =
    loop (x, change, i) = (replicate k 0, f64.inf, 0i32)
    while change > 1e-9 * f64.maximum x && i < 1000 do
      let (x, change) = better (copy x)
      in (x, change, i + 1)
  in x

-- | The solution of equations. It is NaN if rounding has made of it what doesn't solve them, because they have
-- more unknowns than equations.
def definite_solution [k] (a: [k][k]f64) (b: [k]f64) : [k]f64 =
  let x = ratings.solve a b
  let error = f64.maximum (map2 (\r b -> f64.abs (f64.sum (map2 (*) r x) - b)) a b)
  in if error <= 1e-6 * f64.maximum (map f64.abs b) then x else replicate k f64.nan

-- | A rating that is implicit says that something is wanted, if it is positive, and how sure this is.
def train [n] (user: [n]i64) (item: [n]i64) (rating: [n]f64) (users: i64) (items: i64) (rank: i64) (max_iter: i64)
              (reg: f64) (implicit: bool) (alpha: f64) (nonnegative: bool) (seed: i64)
  : model [users] [items] [rank] =
  let counted r =
    if implicit
    then (alpha * f64.abs r, if r > 0 then 1 + alpha * f64.abs r else 0, f64.bool (r > 0))
    else (1, r, 1)
  let solution a b = if nonnegative then nonnegative_solution a b else definite_solution a b
  let half [c] (r: i64) (row: [n]i64) (col: [n]i64) (others: [c][rank]f64) : [r][rank]f64 =
    let base =
      tabulate_2d rank rank (\i j -> if implicit then f64.sum (map (\f -> f[i] * f[j]) others) else 0)
    in ratings.weighted_half counted base solution (replicate r (replicate rank 0)) row col rating others reg
  let begun [c] (factors: [c][rank]f64) = map (map (\f -> if nonnegative then f64.abs f else f)) factors
  let start = ratings.init users items rank seed
  let (of_users, of_items) =
    loop (_, others) = (begun start.users, begun start.items) for _i < max_iter do
      let of_users = half users user item others
      in (of_users, half items item user of_users)
  in {users = of_users, items = of_items}
