-- Logistic regression. The solution comes from Newton's method in another language, to 1e-12.
-- ==
-- entry: solutions
-- input { [
--   [-0.39, -1.02, -0.65, -1.44, 0.79],
--   [-0.19, 0.65, 0.5, -1.73, -0.78],
--   [0.18, 1.18, -0.19, 1.03, 0.21],
--   [-1.21, -2.79, 0.4, 0.46, -1.9],
--   [1.35, 1.79, 0.67, -0.38, -0.3],
--   [-1.13, 7.61, -0.09, 1.59, -0.65],
--   [0.16, -5.01, -0.19, 0.98, -1.25],
--   [1.07, 1.01, -0.52, -0.5, -0.46],
--   [-0.05, -1.61, -0.41, -0.3, -1.03],
--   [-1.29, -0.14, 0.44, -1.53, 0.0],
--   [-0.65, -2.93, 0.43, -0.52, 1.5],
--   [-0.78, 1.16, -0.11, -0.75, 0.59],
--   [-0.15, 1.81, -0.02, -1.09, -0.1],
--   [0.05, 2.88, -0.45, -0.04, -1.72],
--   [0.65, -3.24, -0.9, -0.06, 1.11],
--   [-1.52, -3.26, -0.37, -1.13, 0.38],
--   [-0.81, -2.16, 0.29, -0.76, 0.43],
--   [-0.97, -3.64, -0.92, 1.86, -0.32],
--   [0.24, -0.09, 0.08, 0.05, 1.91],
--   [-1.04, -4.67, -0.51, -1.33, 0.75],
--   [0.82, -2.88, -0.7, -0.35, 1.39],
--   [-2.82, 1.58, -0.54, 1.04, -1.08],
--   [-0.29, -4.52, -0.49, 1.39, 0.82],
--   [-0.4, -2.61, -0.95, -0.39, -0.03],
--   [-0.08, -0.28, -0.56, -0.07, -0.04],
--   [1.29, 5.6, -0.07, -0.77, -0.06],
--   [-0.61, -2.23, -0.03, -1.04, 0.61],
--   [-0.1, 0.75, -0.09, -0.73, -0.95],
--   [-0.24, -1.65, 0.12, -0.0, -1.36],
--   [0.07, -4.03, -0.31, -0.29, -2.08],
--   [0.09, 0.45, -0.08, -0.42, -0.37],
--   [-0.98, -0.81, -0.28, 0.09, -1.2],
--   [0.24, 0.43, -0.07, -0.44, 0.55],
--   [-1.66, 1.38, 0.12, 0.28, 0.38],
--   [-0.65, -0.78, 0.32, 0.43, 0.21],
--   [-1.51, 1.61, 0.58, 1.01, 0.23],
--   [-1.56, 2.83, -0.07, -2.53, 0.38],
--   [-1.49, -3.89, -0.32, 1.27, -0.37],
--   [0.27, 5.24, 0.8, -0.1, -0.24],
--   [-1.26, -2.08, 0.21, 0.4, 0.11]
-- ]
-- [1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0]
-- [0.9764324454901325, -1.5258161420958216, -0.3354106798211683, 0.09387522342964698, 0.7871566857354457] }
-- output { [true, true, true, true, true, true] [true, true, true, true, true, true] }

import "kenaz/optimise"

module l = lbfgs f64
module c = newton_cg f64
module nd = newton_diagonal f64
module g = gradient_descent f64
module px = proximal f64
module a = adam f64

-- | By each method, whether the distance to the solution is below 1e-8, and whether so many
-- evaluations were enough. scipy's L-BFGS-B needs 14.
entry solutions [n] [d] (x: [n][d]f64) (y: [n]f64) (solution: [d]f64) =
  let loss (w: [d]f64) =
    f64.sum (map2 (\x y -> f64.log1p (f64.exp (-y * f64.sum (map2 (*) x w)))) x y) / f64.i64 n
    + 0.01 * f64.sum (map (\w -> w * w) w)
  let near w = f64.maximum (map2 (\a b -> f64.abs (a - b)) w solution) < 1e-8
  let zero = replicate d 0
  let sl = l.minimise l.defaults 100 1e-10 loss zero
  let sc = c.minimise c.defaults 100 1e-10 loss zero
  let sd = nd.minimise nd.defaults 1000 1e-10 loss zero
  let sg =
    g.minimise (g.defaults with momentum = 0.9 with nesterov = true) 3000 1e-10 loss zero
  let sp = px.minimise px.defaults 1000 1e-10 loss zero
  let sa =
    a.minimise (a.defaults with rate = 0.1 with schedule.decay = 0.995) 3000 1e-10 loss zero
  in ([near (l.place sl), near (c.place sc), near (nd.place sd), near (g.place sg)
       , near (px.place sp), near (a.place sa)]
     , [l.evaluations sl <= 17, c.evaluations sc <= 30, nd.evaluations sd <= 45
       , g.evaluations sg <= 190, px.evaluations sp <= 25, a.evaluations sa <= 600])
