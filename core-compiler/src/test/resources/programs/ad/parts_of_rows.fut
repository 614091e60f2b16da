-- Derivatives of parts of rows, inside maps: the adjoint of a row is filled with zero outside of its part.
-- ==
-- entry: taken
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] [10.0, 20.0] }
-- output { [[20.0, 40.0, 1.0], [160.0, 200.0, 1.0]] }
-- ==
-- entry: dropped
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] [10.0, 20.0] }
-- output { [[0.0, 40.0, 60.0], [0.0, 200.0, 240.0]] }
-- ==
-- entry: padded
-- input { 2i64 [[1.0, 2.0], [3.0, 4.0]] }
-- output { [[7.0, 7.0, 1.0, 2.0, 7.0], [7.0, 7.0, 3.0, 4.0, 7.0]] }
-- ==
-- entry: padded
-- input { 4i64 [[1.0, 2.0], [3.0, 4.0]] }
-- error: bounds
-- ==
-- entry: none
-- input { [[1.0, 2.0], [3.0, 4.0]] }
-- output { [[0.0, 0.0], [0.0, 0.0]] }

def squares [n] (xs: [n]f64) = f64.sum (map (\x -> x * x) xs)

entry taken [n][m] (xss: [n][m]f64) (ws: [n]f64): [n][m]f64 =
  vjp (\xss -> map2 (\xs w -> w * squares (take 2 xs) + f64.sum (drop 2 xs)) xss ws) xss (replicate n 1)

entry dropped [n][m] (xss: [n][m]f64) (ws: [n]f64): [n][m]f64 =
  vjp (\xss -> map2 (\xs w -> w * squares (drop 1 xs)) xss ws) xss (replicate n 1)

entry padded [n] (at: i64) (xss: [n][2]f64): [n][5]f64 =
  map (\xs -> replicate 5 7.0 with [at:at + 2] = xs) xss

entry none [n][m] (xss: [n][m]f64): [n][m]f64 =
  vjp (\xss -> map (\xs -> squares (take 0 xs)) xss) xss (replicate n 1)
