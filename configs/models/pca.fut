-- | Principal components. One step finds them: the covariance of the columns is summed over the rows,
-- and its eigenvectors are found by Jacobi's method.
--
-- Columns: `x`, the features.

type model [k] [d] = {mean: [d]f64, components: [k][d]f64, variances: [k]f64}

entry init [n] [d] (x: [n][d]f64) (components: i64) : model [components] [d] =
  {mean = replicate d 0, components = replicate components (replicate d 0), variances = replicate components 0}

-- | One rotation makes the elements (p, q) and (q, p) of a symmetric matrix zero. `v` collects the
-- rotations in its rows.
def rotate [d] (p: i64) (q: i64) (a: *[d][d]f64) (v: *[d][d]f64) : (*[d][d]f64, *[d][d]f64) =
  if a[p, q] == 0
  then (a, v)
  else
    let theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
    let t = (if theta < 0 then -1 else 1) / (f64.abs theta + f64.sqrt (theta * theta + 1))
    let c = 1 / f64.sqrt (t * t + 1)
    let s = t * c
    let turn [e] (x: [e]f64) (y: [e]f64) =
      (map2 (\x y -> c * x - s * y) x y, map2 (\x y -> s * x + c * y) x y)
    let (ap, aq) = turn a[p] a[q]
    let a = a with [p] = ap with [q] = aq
    let (ap, aq) = turn a[:, p] a[:, q]
    let a = a with [:, p] = ap with [:, q] = aq
    let (vp, vq) = turn v[p] v[q]
    in (a, v with [p] = vp with [q] = vq)

-- | The eigenvalues of a symmetric matrix, and the eigenvectors as rows.
def eigen [d] (a: [d][d]f64) : ([d]f64, [d][d]f64) =
  let size = f64.sum (map (\r -> f64.sum (map (** 2) r)) a)
  let outside (a: [d][d]f64) =
    f64.sum (tabulate d (\i -> f64.sum (tabulate i (\j -> a[i, j] ** 2))))
  let identity = tabulate_2d d d (\i j -> f64.bool (i == j))
  let (a, v, _) =
    loop (a, v, sweeps) = (copy a, identity, 0i32)
    while sweeps < 50 && outside a > 1e-30 * size do
      let (a, v) =
        loop (a, v) = (a, v) for p < d do
          loop (a, v) for q in p + 1..<d do rotate p q a v
      in (a, v, sweeps + 1)
  in (tabulate d (\i -> a[i, i]), v)

-- | The place of each number if all were sorted, the largest first.
def ranks [d] (xs: [d]f64) : [d]i64 =
  tabulate d (\i -> i64.sum (tabulate d (\j -> i64.bool (xs[j] > xs[i] || (xs[j] == xs[i] && j < i)))))

-- | The model, and the part of the variance that the model before it leaves out.
entry step [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : (model [k] [d], f64) =
  let rows = f64.i64 n
  let mean = map (\c -> f64.sum c / rows) (transpose x)
  let centred = map (\x -> map2 (-) x mean) x
  let columns = transpose centred
  let covariance =
    map (\a -> map (\b -> f64.sum (map2 (*) a b) / (rows - 1)) columns) columns
  let (values, vectors) = eigen covariance
  let rank = ranks values
  let variances = scatter (replicate k 0) rank values
  -- The largest number of a component is positive, so that its sign doesn't depend on rounding.
  let upright v =
    let largest = reduce (\a b -> if f64.abs b > f64.abs a then b else a) 0 v
    in if largest < 0 then map (\x -> -x) v else v
  let components = scatter (replicate k (replicate d 0)) rank (map upright vectors)
  let along v = f64.sum (map2 (\e row -> e * f64.sum (map2 (*) row v)) v covariance)
  in ({mean, components, variances}, 1 - f64.sum (map along m.components) / f64.sum values)

-- | The coordinates of the rows along the components.
entry predict [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : [n][k]f64 =
  map (\x -> let r = map2 (-) x m.mean in map (\c -> f64.sum (map2 (*) c r)) m.components) x
