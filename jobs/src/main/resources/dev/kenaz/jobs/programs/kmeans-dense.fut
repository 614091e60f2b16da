-- k-means clustering: the cost function, and the step of Newton's method, whose Hessian is diagonal.

def squared_distance [d] (a: [d]f32) (b: [d]f32): f32 =
  f32.sum (map2 (\x y -> (x - y) * (x - y)) a b)

def cost [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32): f32 =
  f32.sum (map (\p -> f32.minimum (map (squared_distance p) centres)) points)

entry kmeans_dense [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) = cost points centres

entry kmeans_dense_ad [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) =
  vjp2 (cost points) centres 1

-- | Where a centre has no points it stays.
entry kmeans_dense_newton [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) =
  let ones = replicate k (replicate d 1)
  let (gradient, curvature) = jvp2 (\c -> vjp (cost points) c 1) centres ones
  in map3 (map3 (\c g h -> if h == 0 then c else c - g / h)) centres gradient curvature
