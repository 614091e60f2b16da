-- Sums over rows of products by a matrix that is the same for all of them.

def dot [n] (xs: [n]f64) ys = f64.sum (map2 (*) xs ys)

-- The distances of points to centres, each under its own matrix.
-- ==
-- entry: centres
-- input { [[[1.0, 2.0], [0.0, 1.0]]] [[1.0, 1.0]] [[1.0, 2.0], [3.0, 1.0], [0.0, 0.0]] }
-- output { [[-2.0, -4.0]] }
-- input { [[[1.0, 2.0], [0.0, 1.0]], [[0.0, 1.0], [2.0, 0.0]]] [[1.0, 1.0], [0.0, 2.0]] [[1.0, 2.0]] }
-- output { [[-4.0, -10.0], [-8.0, 0.0]] }
entry centres [n][k][d] (a: [k][d][d]f64) (c: [k][d]f64) (xs: [n][d]f64): [k][d]f64 =
  let loss c x = f64.sum (map2 (\a c -> let z = map (dot (map2 (-) x c)) a in dot z z) a c)
  in vjp (\c -> f64.sum (map (loss c) xs)) c 1

-- The row itself is what varies: each output's adjoint is different.
-- ==
-- entry: outputs
-- input { [[1.0, 2.0], [3.0, 4.0]] [1.0, 1.0] [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]] [1.0, -1.0, 2.0] }
-- output { [14.0, 22.0] }
entry outputs [n][d] (a: [d][d]f64) (c: [d]f64) (xs: [n][d]f64) (ys: [n]f64): [d]f64 =
  vjp (\c -> map (\x -> dot x (map (dot c) a)) xs) c ys
