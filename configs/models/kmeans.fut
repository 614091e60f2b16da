-- k-means: k centres, of which the nearest to each point is near. The derivatives are the
-- compiler's, and so is the division of the data into pieces.

def squared_distance [d] (a: [d]f32) (b: [d]f32) : f32 =
  reduce (+) 0 (map2 (\x y -> (x - y) * (x - y)) a b)

-- | The sum, over all points, of the squared distance to the nearest centre.
entry loss [n][k][d] (centres: [k][d]f32) (points: [n][d]f32) : f32 =
  reduce (+) 0 (map (\p -> reduce f32.min f32.inf (map (squared_distance p) centres)) points)

-- | Newton's step, and the loss before it. No summand of the loss has two coordinates in it, so
-- the Hessian is diagonal, and one direction gives all of it. A centre that is nearest to no
-- point stays where it is.
entry step [n][k][d] (centres: [k][d]f32) (points: [n][d]f32) : ([k][d]f32, f32) =
  let ((cost, slope), (_, curvature)) =
    jvp2 (\c -> vjp2 (\c -> loss c points) c 1) centres (replicate k (replicate d 1))
  let moved x s c = if c > 0 then x - s / c else x
  in (map3 (map3 moved) centres slope curvature, cost)

-- | The number of the nearest centre, for each point.
entry predict [n][k][d] (centres: [k][d]f32) (points: [n][d]f32) : [n]i64 =
  let nearer (i, a) (j, b) = if b < a then (j, b) else (i, a)
  let nearest p = reduce nearer (-1, f32.inf) (zip (iota k) (map (squared_distance p) centres))
  in map (\p -> (nearest p).0) points

-- A number from 0 up to 1, by which one is chosen at random.
def random (seed: i64) (i: i64) : f32 =
  let mix (x: u64) =
    let x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
    let x = (x ^ (x >> 27)) * 0x94d049bb133111eb
    in x ^ (x >> 31)
  let x = mix (mix (u64.i64 seed + 0x9e3779b97f4a7c15) + u64.i64 (i + 1) * 0x9e3779b97f4a7c15)
  in f32.u64 (x >> 40) / 16777216

-- How much of an effort there is in all, as a number of multiplications.
def effort : f32 = 4e9

-- Greedy k-means++: each further centre is a point, which is chosen with a probability in
-- proportion to its squared distance to the nearest centre so far. Of some such points, that one
-- is taken which lowers the cost most.
def plus_plus [n][d] (points: [n][d]f32) (k: i64) (trials: i64) (seed: i64) : [k][d]f32 =
  let first = points[i64.min (n - 1) (i64.f32 (random seed (-1) * f32.i64 n))]
  let chosen weights u =
    let sums = scan (+) 0 weights
    let at = u * sums[n - 1]
    in i64.min (n - 1) (reduce (+) 0 (map (\s -> i64.bool (s <= at)) sums))
  let candidate nearest number =
    let p = points[chosen nearest (random seed number)]
    let near = map2 f32.min nearest (map (squared_distance p) points)
    in (p, near, reduce (+) 0 near)
  let (centres, _) =
    loop (centres, nearest) = (replicate k first, map (squared_distance first) points)
    for i in 1..<k do
      let (p, near, _) =
        loop (p, near, cost) = candidate nearest (i * trials)
        for t in 1..<trials do
          let (p', near', cost') = candidate nearest (i * trials + t)
          in if cost' < cost then (p', near', cost') else (p, near, cost)
      in (centres with [i] = p, near)
  in centres

-- | Clusters a sample of the points several times, and takes the best centres.
entry init [n][d] (points: [n][d]f32) (k: i64) (seed: i64) : [k][d]f32 =
  let points = assert (0 < k && k <= n) points
  let pass = f32.i64 k * f32.i64 n * f32.i64 d
  let times x most = i64.f32 (f32.max 1 (f32.min most x))
  let restarts = times (effort / (20 * pass)) 8
  let steps = times (effort / (pass * f32.i64 restarts)) 20
  let trials = times (effort / (pass * f32.i64 restarts)) (2 + f32.log (f32.i64 k))
  let (best, _) =
    loop (best, least) = (replicate k points[0], f32.inf)
    for r < restarts do
      let start = plus_plus points k trials (seed * 1000 + r)
      let (centres, cost) =
        loop (centres, _) = (start, f32.inf) for _i < steps do step centres points
      in if cost < least then (centres, cost) else (best, least)
  in best
