-- The optimisers with f32. What a tolerance that f32 can't reach leaves is done. The results are
-- those of second_order.fut.
-- ==
-- entry: by_lbfgs
-- input { 2i64 50i64 [-1.2f32, 1] } output { true false 0f32 true true true }
-- input { 1i64 70i64 [5f32, 1, 2, 3, 7, 8] } output { true false 0f32 true true true }
-- input { 3i64 40i64 [5f32, 0.1, 20] } output { true false 3f32 true true true }
-- input { 6i64 1i64 [0f32, 0] } output { true true f32.nan true true true }
-- ==
-- entry: to_the_end
-- input { 3i64 80i64 [5f32, 0.1, 20] } output { true true 3f32 true true true }
-- ==
-- entry: by_newton_cg
-- input { 1i64 40i64 [5f32, 1, 2, 3, 7, 8] } output { true true 0f32 true true true }
-- input { 3i64 40i64 [5f32, 0.1, 20] } output { true false 3f32 true true true }
-- ==
-- entry: by_newton_diagonal
-- input { 1i64 6i64 [5f32, 1, 2, 3, 7, 8] } output { true true 0f32 true true true }
-- input { 3i64 30i64 [5f32, 0.1, 20] } output { true false 3f32 true true true }
-- ==
-- entry: by_descent
-- input { 3i64 50i64 [5f32, 0.1, 20] } output { true false 3f32 true true true }
-- ==
-- entry: by_adam
-- input { 3i64 500i64 [5f32, 0.1, 2] } output { true false 3f32 true true true }
-- ==
-- entry: by_proximal
-- input { 3i64 50i64 [5f32, 0.1, 20] } output { true false 3f32 true true true }

import "lib/outcome"
import "kenaz/optimise"

module l = lbfgs f32
module c = newton_cg f32
module d = newton_diagonal f32
module g = gradient_descent f32
module a = adam f32
module px = proximal f32
module ol = outcome f32 l
module oc = outcome f32 c
module od = outcome f32 d
module og = outcome f32 g
module oa = outcome f32 a
module ox = outcome f32 px

entry by_lbfgs [p] (kind: i64) (bound: i64) (x: [p]f32) =
  ol.of l.defaults kind 1000 1e-3 bound x

entry to_the_end [p] (kind: i64) (bound: i64) (x: [p]f32) =
  ol.of l.defaults kind 1000 0 bound x

entry by_newton_cg [p] (kind: i64) (bound: i64) (x: [p]f32) =
  oc.of c.defaults kind 1000 1e-3 bound x

entry by_newton_diagonal [p] (kind: i64) (bound: i64) (x: [p]f32) =
  od.of d.defaults kind 1000 1e-3 bound x

entry by_descent [p] (kind: i64) (bound: i64) (x: [p]f32) =
  og.of g.defaults kind 1000 1e-3 bound x

entry by_adam [p] (kind: i64) (bound: i64) (x: [p]f32) =
  oa.of (a.defaults with rate = 0.1) kind 1000 1e-3 bound x

entry by_proximal [p] (kind: i64) (bound: i64) (x: [p]f32) =
  ox.of px.defaults kind 1000 1e-3 bound x
