-- L-BFGS, Newton-CG and Newton with the diagonal. The results say whether the minimisation has
-- settled, whether it is done, the cost, whether that is the cost of the place, whether it is not
-- above the start, and whether so many evaluations were enough. scipy's L-BFGS-B needs 45 and 92
-- evaluations for Rosenbrock's function of 2 and 10 numbers.
-- ==
-- entry: by_lbfgs
-- input { 2i64 45i64 [-1.2, 1] } output { true false 0.0 true true true }
-- input { 2i64 95i64 [-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1] } output { true false 0.0 true true true }
-- input { 0i64 1i64 empty([0]f64) } output { true true 0.0 true true true }
-- input { 0i64 3i64 [5.0] } output { true true 0.0 true true true }
-- input { 1i64 70i64 [5.0, 1, 2, 3, 7, 8] } output { true false 0.0 true true true }
-- input { 3i64 40i64 [5.0, 0.1, 20] } output { true false 3.0 true true true }
-- input { 4i64 25i64 [5.0, 0.1, 0.5] } output { true false -0.75 true true true }
-- input { 4i64 1i64 [0.0, 0] } output { true true 0.0 true true true }
-- input { 5i64 12i64 [0.0, 0, 3, 4, 5] } output { true false 0.0 true true true }
-- input { 6i64 1i64 [0.0, 0] } output { true true f64.nan true true true }
-- input { 0i64 1i64 [1.0, 2, 3] } output { true true 0.0 true true true }
-- ==
-- entry: by_newton_cg
-- input { 2i64 280i64 [-1.2, 1] } output { true false 0.0 true true true }
-- input { 2i64 450i64 [-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1] } output { true false 0.0 true true true }
-- input { 0i64 1i64 empty([0]f64) } output { true true 0.0 true true true }
-- input { 0i64 3i64 [5.0] } output { true true 0.0 true true true }
-- input { 1i64 30i64 [5.0, 1, 2, 3, 7, 8] } output { true true 0.0 true true true }
-- input { 3i64 40i64 [5.0, 0.1, 20] } output { true false 3.0 true true true }
-- input { 4i64 35i64 [5.0, 0.1, 0.5] } output { true false -0.75 true true true }
-- input { 4i64 1i64 [0.0, 0] } output { true true 0.0 true true true }
-- input { 6i64 1i64 [0.0, 0] } output { true true f64.nan true true true }
-- input { 0i64 1i64 [1.0, 2, 3] } output { true true 0.0 true true true }
-- ==
-- entry: by_newton_cg_to_rounding
-- input { 5i64 8i64 [0.0, 0, 3, 4, 5] } output { true 0.0 true true true }
-- ==
-- entry: by_newton_diagonal
-- input { 0i64 1i64 empty([0]f64) } output { true true 0.0 true true true }
-- input { 0i64 2i64 [5.0] } output { true true 0.0 true true true }
-- input { 1i64 2i64 [5.0, 1, 2, 3, 7, 8] } output { true true 0.0 true true true }
-- input { 3i64 25i64 [5.0, 0.1, 20] } output { true false 3.0 true true true }
-- input { 4i64 12i64 [5.0, 0.1, 0.5] } output { true false -0.75 true true true }
-- input { 4i64 1i64 [0.0, 0] } output { true true 0.0 true true true }
-- input { 5i64 100i64 [0.0, 0, 3, 4, 5] } output { true false 0.0 true true true }
-- input { 6i64 1i64 [0.0, 0] } output { true true f64.nan true true true }
-- input { 0i64 1i64 [1.0, 2, 3] } output { true true 0.0 true true true }
-- ==
-- entry: by_blocks
-- input { 5i64 300i64 [0.0, 0, 3, 4, 5] } output { true false 0.0 true true true }

import "lib/outcome"
import "kenaz/optimise"

module l = lbfgs f64
module c = newton_cg f64
module d = newton_diagonal f64
module ol = outcome f64 l
module oc = outcome f64 c
module od = outcome f64 d

entry by_lbfgs [p] (kind: i64) (bound: i64) (x: [p]f64) =
  ol.of l.defaults kind 1000 1e-6 bound x

entry by_newton_cg [p] (kind: i64) (bound: i64) (x: [p]f64) =
  oc.of c.defaults kind 1000 1e-6 bound x

-- | The last step is so good that rounding decides whether the gradient is 0 at its end, and so whether the
-- minimisation is done; this is left out.
entry by_newton_cg_to_rounding [p] (kind: i64) (bound: i64) (x: [p]f64) =
  let (settled, _, cost, same, better, enough) = by_newton_cg kind bound x
  in (settled, cost, same, better, enough)

entry by_newton_diagonal [p] (kind: i64) (bound: i64) (x: [p]f64) =
  od.of d.defaults kind 1000 1e-6 bound x

-- Two directions in a pass.
entry by_blocks [p] (kind: i64) (bound: i64) (x: [p]f64) =
  od.of (d.defaults with block = 2) kind 1000 1e-6 bound x
