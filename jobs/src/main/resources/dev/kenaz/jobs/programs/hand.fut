-- Hand tracking, as ADBench defines it: how far given points are from the vertices of a hand's
-- surface (simple) or from points on its triangles (complicated), for a pose of 26 parameters: a
-- rotation vector, a translation, and for each finger four angles of its three joints.

type mat [n] = [n][n]f64

def dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)
def times [n] (a: mat [n]) (b: mat [n]): *mat [n] = map (\x -> map (dot x) (transpose b)) a

def rotation (r: [3]f64): mat [3] =
  let norm = f64.sqrt (dot r r)
  in if norm < 0.0001
     then [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
     else let (x, y, z) = (r[0] / norm, r[1] / norm, r[2] / norm)
          let (s, c) = (f64.sin norm, f64.cos norm)
          in [[x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s]
             , [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s]
             , [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c]]

-- | Rotations about the axes x, z and y, given in this order, as a 4 by 4 matrix.
def euler (angles: [3]f64): mat [4] =
  let (a, b, c) = (angles[0], angles[2], angles[1])
  let (sa, ca, sb, cb, sc, cc) =
    (f64.sin a, f64.cos a, f64.sin b, f64.cos b, f64.sin c, f64.cos c)
  in [[cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa, 0]
     , [sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa, 0]
     , [-sb, cb * sa, cb * ca, 0]
     , [0, 0, 0, 1]]

-- | The angles of the bones: none at the wrist and palm, then four bones a finger, of which the
-- first has none, the second two, and the others one each.
def bone_angles [b] (theta: [26]f64): [b][3]f64 =
  tabulate b (\i ->
    let finger = (i - 1) / 4
    let joint = (i - 1) % 4
    let at = 6 + 4 * finger
    in if i == 0 || i > 20 || joint == 0
       then [0, 0, 0]
       else if joint == 1
       then [theta[at], theta[at + 1], 0]
       else [theta[at + joint], 0, 0])

def vertices [b] [v]
             (parents: [b]i64)
             (base: [b]mat [4])
             (inverse: [b]mat [4])
             (positions: [v][4]f64)
             (weights: [v][b]f64)
             (theta: [26]f64): [v][3]f64 =
  let relatives = map2 (\m a -> times m (euler a)) base (bone_angles theta)
  let absolutes =
    loop all = copy relatives for i < b do
      if parents[i] < 0 then all else all with [i] = times all[parents[i]] relatives[i]
  let transforms = map2 times absolutes inverse
  let turn = rotation (take 3 theta)
  let place (p: [4]f64) (ws: [b]f64): [3]f64 =
    let q = map (\c -> f64.sum (map2 (\w t -> w * dot t[c] p) ws transforms)) (iota 3)
    in map2 (\row s -> dot row q + s) turn (drop 3 (take 6 theta) :> [3]f64)
  in map2 place positions weights

entry hand_simple [b] [v] [n]
                  (parents: [b]i64)
                  (base: [b][4][4]f64)
                  (inverse: [b][4][4]f64)
                  (positions: [v][4]f64)
                  (weights: [v][b]f64)
                  (which: [n]i64)
                  (points: [n][3]f64)
                  (theta: [26]f64): [n][3]f64 =
  let all = vertices parents base inverse positions weights theta
  in map2 (\i p -> map2 (-) p all[i]) which points

def on_triangle (a: [3]f64) (b: [3]f64) (c: [3]f64) (u: [2]f64): [3]f64 =
  map3 (\a b c -> u[0] * a + u[1] * b + (1 - u[0] - u[1]) * c) a b c

entry hand_complicated [b] [v] [t] [n]
                       (parents: [b]i64)
                       (base: [b][4][4]f64)
                       (inverse: [b][4][4]f64)
                       (positions: [v][4]f64)
                       (weights: [v][b]f64)
                       (triangles: [t][3]i64)
                       (which: [n]i64)
                       (points: [n][3]f64)
                       (theta: [26]f64)
                       (us: [n][2]f64): [n][3]f64 =
  let all = vertices parents base inverse positions weights theta
  in map3 (\i p u ->
             let t = triangles[i]
             in map2 (-) p (on_triangle all[t[0]] all[t[1]] all[t[2]] u))
          which points us

def unit (n: i64) (i: i64): [n]f64 = tabulate n (\j -> if i == j then 1 else 0)

-- | A row for each parameter.
entry hand_simple_jacobian [b] [v] [n]
                           (parents: [b]i64)
                           (base: [b][4][4]f64)
                           (inverse: [b][4][4]f64)
                           (positions: [v][4]f64)
                           (weights: [v][b]f64)
                           (which: [n]i64)
                           (points: [n][3]f64)
                           (theta: [26]f64): [26][n][3]f64 =
  jmp (hand_simple parents base inverse positions weights which points) theta (map (unit 26) (iota 26))

-- | Two rows for the coordinates on the triangles, on which only their own points depend, then a row
-- for each parameter.
entry hand_complicated_jacobian [b] [v] [t] [n]
                                (parents: [b]i64)
                                (base: [b][4][4]f64)
                                (inverse: [b][4][4]f64)
                                (positions: [v][4]f64)
                                (weights: [v][b]f64)
                                (triangles: [t][3]i64)
                                (which: [n]i64)
                                (points: [n][3]f64)
                                (theta: [26]f64)
                                (us: [n][2]f64): [28][n][3]f64 =
  let f (theta, us) =
    hand_complicated parents base inverse positions weights triangles which points theta us
  let by_us i = (replicate 26 0, replicate n (unit 2 i))
  let by_theta i = (unit 26 i, replicate n [0, 0])
  in jmp f (theta, us) (map by_us (iota 2) ++ map by_theta (iota 26)) :> [28][n][3]f64

def half_square [n] (es: [n][3]f64): f64 = f64.sum (map (\e -> 0.5 * dot e e) es)

-- | Half the sum of all squared distances.
entry hand_total [b] [v] [n]
                 (parents: [b]i64)
                 (base: [b][4][4]f64)
                 (inverse: [b][4][4]f64)
                 (positions: [v][4]f64)
                 (weights: [v][b]f64)
                 (which: [n]i64)
                 (points: [n][3]f64)
                 (theta: [26]f64): f64 =
  half_square (hand_simple parents base inverse positions weights which points theta)

entry hand_total_ad [b] [v] [n]
                    (parents: [b]i64)
                    (base: [b][4][4]f64)
                    (inverse: [b][4][4]f64)
                    (positions: [v][4]f64)
                    (weights: [v][b]f64)
                    (which: [n]i64)
                    (points: [n][3]f64)
                    (theta: [26]f64) =
  vjp2 (hand_total parents base inverse positions weights which points) theta 1

entry hand_complicated_total [b] [v] [t] [n]
                             (parents: [b]i64)
                             (base: [b][4][4]f64)
                             (inverse: [b][4][4]f64)
                             (positions: [v][4]f64)
                             (weights: [v][b]f64)
                             (triangles: [t][3]i64)
                             (which: [n]i64)
                             (points: [n][3]f64)
                             (theta: [26]f64)
                             (us: [n][2]f64): f64 =
  half_square (hand_complicated parents base inverse positions weights triangles which points theta us)

entry hand_complicated_total_ad [b] [v] [t] [n]
                                (parents: [b]i64)
                                (base: [b][4][4]f64)
                                (inverse: [b][4][4]f64)
                                (positions: [v][4]f64)
                                (weights: [v][b]f64)
                                (triangles: [t][3]i64)
                                (which: [n]i64)
                                (points: [n][3]f64)
                                (theta: [26]f64)
                                (us: [n][2]f64) =
  let f (theta, us) =
    hand_complicated_total parents base inverse positions weights triangles which points theta us
  in vjp2 f (theta, us) 1
