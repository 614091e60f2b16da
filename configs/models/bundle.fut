-- | Bundle adjustment: the poses of cameras and the places of points, from where the cameras saw the
-- points. It is a step of Levenberg and Marquardt with the sparse Jacobian: an observation depends on
-- one camera and one point alone. The points are eliminated, and the cameras' equations are solved
-- by conjugate gradients (Agarwal, Snavely, Seitz and Szeliski, "Bundle adjustment in the large", 2010).
--
-- A camera has nine numbers: a rotation vector, a translation, the focal length and two coefficients
-- of radial distortion.
--
-- Columns, a row for each observation: `camera` and `point`, numbers from 0, and `seen`, two numbers:
-- the place in the image.

open import "common"

type model [c] [p] = {cameras: [c][9]f64, points: [p][3]f64, damping: f64}

def dot [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)
def plus [n] (a: [n]f64) (b: [n]f64) : [n]f64 = map2 (+) a b
def times [n] [m] (a: [n][m]f64) (x: [m]f64) : [n]f64 = map (dot x) a

def cross (a: [3]f64) (b: [3]f64) : [3]f64 =
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

-- | The point after a rotation around the vector, by the vector's length (Rodrigues). The quotients
-- are series near zero, so that derivatives are right there too.
def rotate (r: [3]f64) (x: [3]f64) : [3]f64 =
  let square = dot r r
  let near = square < 1e-8
  let angle = f64.sqrt (if near then 1 else square)
  let a = if near then 1 - square / 6 else f64.sin angle / angle
  let b = if near then 0.5 - square / 24 else (1 - f64.cos angle) / square
  let turned = cross r x
  in map3 (\x y z -> x + a * y + b * z) x turned (cross r turned)

-- | Where a camera sees a point. It looks along the negative third axis.
def project (camera: [9]f64) (point: [3]f64) : [2]f64 =
  let p = plus (rotate (camera[0:3] :> [3]f64) point) (camera[3:6] :> [3]f64)
  let (x, y) = (-p[0] / p[2], -p[1] / p[2])
  let square = x * x + y * y
  let scale = camera[6] * (1 + square * (camera[7] + camera[8] * square))
  in [scale * x, scale * y]

def residual (camera: [9]f64) (point: [3]f64) (seen: [2]f64) : [2]f64 =
  map2 (-) (project camera point) seen

-- | Half of the mean of the squared distances in the image.
entry loss [n] [c] [p] (m: model [c] [p]) (camera: [n]i64) (point: [n]i64) (seen: [n][2]f64) : f64 =
  let of_row c p s = let r = residual m.cameras[c] m.points[p] s in dot r r
  in f64.sum (map3 of_row camera point seen) / (2 * f64.i64 n)

-- | The rows are of a turntable: `cameras` poses at equal angles around the origin, at this distance
-- from it. All points begin near the origin.
entry init (cameras: i64) (points: i64) (distance: f64) (focal: f64) (seed: i64) : model [cameras] [points] =
  let pose i = [0, 2 * f64.pi * f64.i64 i / f64.i64 cameras, 0, 0, 0, -distance, focal, 0, 0]
  in {cameras = tabulate cameras pose,
      points = tabulate_2d points 3 (\i j -> 0.01 * distance * normal seed (3 * i + j)),
      damping = 1e-3}

-- | The solution of `product x = b` by conjugate gradients, for a positive definite product.
-- `precondition` is near to its inverse.
def conjugate_gradients [c] (product: [c][9]f64 -> [c][9]f64) (precondition: [c][9]f64 -> [c][9]f64)
                            (b: [c][9]f64) : [c][9]f64 =
  let inner a b = f64.sum (map2 dot a b)
  let along s a b = map2 (map2 (\a b -> a + s * b)) a b
  let z = precondition b
  let goal = 1e-16 * inner b z
  let (x, _, _, _, _) =
    loop (x, r, d, size, i) = (map (map (const 0)) b, b, z, inner b z, 0i64)
    while i < 30 * c && size > goal do
      let q = product d
      let s = size / inner d q
      let r = along (-s) r q
      let z = precondition r
      let next = inner r z
      in (along s x d, r, along (next / size) z d, next, i + 1)
  in x

-- | The next model, and the loss of the one that is given. The damping rises until a step lowers the
-- loss.
entry step [n] [c] [p] (m: model [c] [p]) (camera: [n]i64) (point: [n]i64) (seen: [n][2]f64)
  : (model [c] [p], f64) =
  -- The derivatives of each row by its camera and by its point, and what they sum to.
  let derivatives ci pi s =
    let (camera, point) = (m.cameras[ci], m.points[pi])
    let unit n k = tabulate n (\j -> f64.bool (j == k))
    in (residual camera point s,
        map (\k -> jvp (\c -> project c point) camera (unit 9 k)) (iota 9),
        map (\k -> jvp (project camera) point (unit 3 k)) (iota 3))
  let (r, by_camera, by_point) = unzip3 (map3 derivatives camera point seen)
  let squares [k] (j: [k][2]f64) = map (times j) j
  let sums [k] [l] (size: i64) (at: [n]i64) (rows: [n][k][l]f64) : [size][k][l]f64 =
    hist (map2 plus) (replicate k (replicate l 0)) size at rows
  let sums_1d [k] (size: i64) (at: [n]i64) (rows: [n][k]f64) : [size][k]f64 =
    hist plus (replicate k 0) size at rows
  let of_cameras = sums c camera (map squares by_camera)
  let of_points = sums p point (map squares by_point)
  let slope_c = sums_1d c camera (map2 times by_camera r)
  let slope_p = sums_1d p point (map2 times by_point r)
  -- What the cameras' changes do to the points, and that to the cameras.
  let to_points (d: [c][9]f64) : [p][3]f64 =
    let moved j ci = times (transpose j) d[ci]
    in sums_1d p point (map3 (\jp jc ci -> times jp (moved jc ci)) by_point by_camera camera)
  let to_cameras (d: [p][3]f64) : [c][9]f64 =
    let moved j pi = times (transpose j) d[pi]
    in sums_1d c camera (map3 (\jc jp pi -> times jc (moved jp pi)) by_camera by_point point)
  let minus [k] [l] (a: [k][l]f64) (b: [k][l]f64) = map2 (map2 (-)) a b
  let trial (damping: f64) : model [c] [p] =
    let damped [k] (a: [k][k]f64) =
      tabulate_2d k k (\i j -> if i == j then a[i, i] * (1 + damping) + 1e-12 else a[i, j])
    let by_points = map2 solve (map damped of_points)
    let by_cameras = map damped of_cameras
    let product d = minus (map2 times by_cameras d) (to_cameras (by_points (to_points d)))
    let target = minus (to_cameras (by_points slope_p)) slope_c
    let change = conjugate_gradients product (map2 solve by_cameras) target
    let rest = map (map (\x -> -x)) (map2 plus slope_p (to_points change))
    in {cameras = map2 plus m.cameras change,
        points = map2 plus m.points (by_points rest),
        damping}
  let before = f64.sum (map (\r -> dot r r) r) / (2 * f64.i64 n)
  let lower (m: model [c] [p]) = loss m camera point seen < before
  let (next, _) =
    loop (next, found) = (m, false)
    while !found && next.damping < 1e9 do
      let tried = trial next.damping
      in if lower tried
         then (tried with damping = f64.max 1e-9 (tried.damping / 10), true)
         else (m with damping = tried.damping * 10, false)
  in (next, before)

-- | Where the cameras see the points.
entry predict [n] [c] [p] (m: model [c] [p]) (camera: [n]i64) (point: [n]i64) : [n][2]f64 =
  map2 (\c p -> project m.cameras[c] m.points[p]) camera point

-- | The root of the mean squared distance in the image.
entry metrics [n] [c] [p] (m: model [c] [p]) (camera: [n]i64) (point: [n]i64) (seen: [n][2]f64)
  : {rmse: f64} =
  {rmse = f64.sqrt (2 * loss m camera point seen)}
