-- The cost of k-means clustering: the sum, over all points, of the squared
-- distance to the nearest centre. Nothing here says how to differentiate it,
-- or where the points are.

def squared_distance [d] (a: [d]f32) (b: [d]f32) : f32 =
  reduce (+) 0 (map2 (\x y -> (x - y) * (x - y)) a b)

def cost [n][k][d] (points: [n][d]f32) (centres: [k][d]f32) : f32 =
  reduce (+) 0 (map (\p -> reduce f32.min f32.inf (map (squared_distance p) centres)) points)
