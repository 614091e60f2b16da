-- Gauss-Newton and Levenberg-Marquardt: with a matrix, and with products only.

import "kenaz/least_squares"

module n = gauss_newton f64
module m = levenberg_marquardt f64
module s = levenberg_marquardt f32

-- | The place, the cost, whether it has settled, whether so many evaluations were enough.
module fit (o: least_squares with t = f64) = {
  def fit [p] [r] (options: o.options) (bound: i64) (f: [p]f64 -> [r]f64) (x: [p]f64) =
    let s = o.minimise options 200 1e-10 f x
    in (o.place s, o.cost s, o.settled 1e-10 s, o.evaluations s <= bound)
}
module fn = fit n
module fm = fit m

-- w0 exp (w1 x) + w2, without noise.
def curve [r] (x: [r]f64) (y: [r]f64) (w: []f64) : [r]f64 =
  map2 (\x y -> w[0] * f64.exp (w[1] * x) + w[2] - y) x y

-- ==
-- entry: curve_by_matrix curve_by_products
-- input { [0.0, 0.25, 0.5, 0.75, 1, 1.5, 2]
-- [3.5, 2.6675820609, 2.0661373, 1.6315769, 1.3175953, 0.9268222, 0.7228207] [1.0, -0.1, 0.0] }
-- output { [3.0, -1.3, 0.5] 0.0 true true }
entry curve_by_matrix [r] (x: [r]f64) (y: [r]f64) (w: [3]f64) =
  fm.fit m.defaults 9 (curve x y) w

entry curve_by_products [r] (x: [r]f64) (y: [r]f64) (w: [3]f64) =
  fm.fit (m.defaults with dense = 0) 45 (curve x y) w

def rosenbrock (x: [2]f64) : [2]f64 = [10 * (x[1] - x[0] * x[0]), 1 - x[0]]

-- ==
-- entry: rosenbrock_by_newton rosenbrock_by_newton_products
-- input { [-1.2, 1] } output { [1.0, 1] 0.0 true true }
entry rosenbrock_by_newton (x: [2]f64) = fn.fit n.defaults 40 rosenbrock x

entry rosenbrock_by_newton_products (x: [2]f64) =
  fn.fit (n.defaults with dense = 0) 140 rosenbrock x

-- ==
-- entry: rosenbrock_by_marquardt
-- input { [-1.2, 1] } output { [1.0, 1] 0.0 true true }
entry rosenbrock_by_marquardt (x: [2]f64) = fm.fit m.defaults 45 rosenbrock x

-- Linear residuals: one step is exact. The third parameter has no effect, so J is singular.
def line [r] (x: [r]f64) (y: [r]f64) (w: []f64) : [r]f64 =
  map2 (\x y -> w[0] + w[1] * x + 0 * w[2] - y) x y

-- ==
-- entry: singular_by_newton singular_by_newton_products singular_by_marquardt
-- input { [0.0, 1, 2, 3] [1.0, 2, 4, 5] [0.0, 0, 7] } output { [0.9, 1.4, 7] 0.1 true true }
entry singular_by_newton [r] (x: [r]f64) (y: [r]f64) (w: [3]f64) =
  fn.fit n.defaults 3 (line x y) w

entry singular_by_newton_products [r] (x: [r]f64) (y: [r]f64) (w: [3]f64) =
  fn.fit (n.defaults with dense = 0) 16 (line x y) w

entry singular_by_marquardt [r] (x: [r]f64) (y: [r]f64) (w: [3]f64) =
  fm.fit m.defaults 10 (line x y) w

-- Where the residuals are not finite, the step is shorter; at the start, the caller sees it.
-- ==
-- entry: logarithms
-- input { [50.0] } output { [2.718281828] 0.0 true true }
-- input { [-1.0] } output { [-1.0] f64.nan true true }
entry logarithms (x: [1]f64) = fm.fit m.defaults 20 (map (\x -> f64.log x - 1)) x

-- ==
-- entry: logarithms_by_newton
-- input { [50.0] } output { [2.718281828] 0.0 true true }
-- input { [-1.0] } output { [-1.0] f64.nan true true }
entry logarithms_by_newton (x: [1]f64) = fn.fit n.defaults 20 (map (\x -> f64.log x - 1)) x

-- Nothing to fit, and nothing to fit it to.
-- ==
-- entry: empty
-- input { } output { [0i64, 0] true }
entry empty =
  let a = m.minimise m.defaults 10 1e-10 (\(_: [0]f64) -> [1.0, 2]) []
  let b = n.minimise n.defaults 10 1e-10 (\(_: [2]f64) -> ([] : [0]f64)) [1, 2]
  in ([i64.bool (m.cost a != 2.5), i64.bool (n.cost b != 0)], m.done a && n.done b)

-- ==
-- entry: single
-- input { [0f32, 0.25, 0.5, 0.75, 1, 1.5, 2]
-- [3.5f32, 2.6675820609, 2.0661373, 1.6315769, 1.3175953, 0.9268222, 0.7228207] [1f32, -0.1, 0] }
-- output { [3f32, -1.3, 0.5] true }
entry single [r] (x: [r]f32) (y: [r]f32) (w: [3]f32) =
  let f (w: [3]f32) = map2 (\x y -> w[0] * f32.exp (w[1] * x) + w[2] - y) x y
  let a = s.minimise s.defaults 100 1e-4 f w
  in (s.place a, s.settled 1e-4 a)
