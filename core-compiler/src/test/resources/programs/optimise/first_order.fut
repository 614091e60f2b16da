-- Gradient descent with and without momentum, Adam, AdamW, RMSProp and proximal steps. The results
-- are those of second_order.fut.
-- ==
-- entry: by_descent
-- input { 0i64 1i64 empty([0]f64) } output { true true 0.0 true true true }
-- input { 0i64 3i64 [5.0] } output { true true 0.0 true true true }
-- input { 0i64 120i64 [5.0, 1, 2, 3, 7, 8] } output { true false 0.0 true true true }
-- input { 3i64 40i64 [5.0, 0.1, 20] } output { true false 3.0 true true true }
-- input { 4i64 40i64 [5.0, 0.1, 0.5] } output { true false -0.75 true true true }
-- input { 4i64 1i64 [0.0, 0] } output { true true 0.0 true true true }
-- input { 5i64 70i64 [0.0, 0, 3, 4, 5] } output { true false 0.0 true true true }
-- input { 6i64 1i64 [0.0, 0] } output { true true f64.nan true true true }
-- input { 0i64 1i64 [1.0, 2, 3] } output { true true 0.0 true true true }
-- ==
-- entry: by_momentum
-- input { 2i64 5500i64 [-1.2, 1] } output { true false 0.0 true true true }
-- input { 0i64 200i64 [5.0, 1, 2, 3, 7, 8] } output { true false 0.0 true true true }
-- input { 3i64 60i64 [5.0, 0.1, 20] } output { true false 3.0 true true true }
-- input { 6i64 1i64 [0.0, 0] } output { true true f64.nan true true true }
-- ==
-- entry: at_wild_rate
-- input { 0i64 200i64 [5.0, 1, 2, 3, 7, 8] } output { true false 0.0 true true true }
-- input { 3i64 200i64 [5.0, 0.1, 20] } output { true false 3.0 true true true }
-- input { 5i64 200i64 [0.0, 0, 3, 4, 5] } output { true false 0.0 true true true }
-- ==
-- entry: by_adam
-- input { 0i64 1i64 empty([0]f64) } output { true true 0.0 true true true }
-- input { 0i64 400i64 [5.0, 1, 2, 3, 7, 8] } output { true false 0.0 true true true }
-- input { 3i64 400i64 [5.0, 0.1, 2] } output { true false 3.0 true true true }
-- input { 6i64 1i64 [0.0, 0] } output { true true f64.nan true true true }
-- ==
-- entry: by_adam_at_wild_rate
-- input { 0i64 201i64 [1.0, 2.001] } output { false false 5e-6 true true true }
-- input { 3i64 201i64 [5.0, 0.1, 20] } output { false false 3.0 true true true }
-- ==
-- entry: by_adamw
-- input { 0i64 1i64 empty([0]f64) } output { true true 0.0 true true true }
-- input { 6i64 1i64 [0.0, 0] } output { true true f64.nan true true true }
-- ==
-- entry: by_rmsprop
-- input { 0i64 400i64 [5.0, 1, 2, 3, 7, 8] } output { true false 0.0 true true true }
-- input { 6i64 1i64 [0.0, 0] } output { true true f64.nan true true true }
-- ==
-- entry: by_proximal
-- input { 0i64 1i64 empty([0]f64) } output { true true 0.0 true true true }
-- input { 0i64 2i64 [5.0] } output { true true 0.0 true true true }
-- input { 2i64 200i64 [-1.2, 1] } output { true false 0.0 true true true }
-- input { 3i64 45i64 [5.0, 0.1, 20] } output { true false 3.0 true true true }
-- input { 6i64 1i64 [0.0, 0] } output { true true f64.nan true true true }

import "lib/outcome"
import "kenaz/optimise"

module g = gradient_descent f64
module a = adam f64
module w = adamw f64
module r = rmsprop f64
module px = proximal f64
module og = outcome f64 g
module oa = outcome f64 a
module ow = outcome f64 w
module or = outcome f64 r
module ox = outcome f64 px

entry by_descent [p] (kind: i64) (bound: i64) (x: [p]f64) =
  og.of g.defaults kind 1000 1e-6 bound x

entry by_momentum [p] (kind: i64) (bound: i64) (x: [p]f64) =
  og.of (g.defaults with momentum = 0.9 with nesterov = true) kind 10000 1e-6 bound x

entry at_wild_rate [p] (kind: i64) (bound: i64) (x: [p]f64) =
  og.of (g.defaults with rate = 1e6 with momentum = 0.5) kind 1000 1e-6 bound x

entry by_adam [p] (kind: i64) (bound: i64) (x: [p]f64) =
  oa.of (a.defaults with rate = 0.1) kind 1000 1e-6 bound x

-- No step is better than the start, or the first steps lead where the cost is NaN.
entry by_adam_at_wild_rate [p] (kind: i64) (bound: i64) (x: [p]f64) =
  oa.of (a.defaults with rate = 1000) kind 200 1e-12 bound x

entry by_adamw [p] (kind: i64) (bound: i64) (x: [p]f64) =
  ow.of (w.defaults with rate = 0.1) kind 1000 1e-6 bound x

entry by_rmsprop [p] (kind: i64) (bound: i64) (x: [p]f64) =
  or.of (r.defaults with rate = 0.1 with schedule.decay = 0.98) kind 1000 1e-6 bound x

entry by_proximal [p] (kind: i64) (bound: i64) (x: [p]f64) =
  ox.of px.defaults kind 1000 1e-6 bound x
