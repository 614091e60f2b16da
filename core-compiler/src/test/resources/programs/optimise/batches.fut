-- Single steps of the rules of first order, computed by hand, and what they do with another cost at
-- each step, schedules, and bounds of the gradient.

import "kenaz/optimise"

module g = gradient_descent f64
module a = adam f64
module w = adamw f64
module r = rmsprop f64

-- The slope is x - target.
def cost [p] (target: f64) (x: [p]f64) : f64 = f64.sum (map (\x -> (x - target) ** 2 / 2) x)

-- The places after the first steps, each with a cost of its own.
module walk (o: optimiser with t = f64) = {
  def walk [n] (options: o.options) (targets: [n]f64) (x: f64) : [n]f64 =
    let first = o.start options (cost targets[0]) [x]
    let (places, _) =
      loop (places, s) = (replicate n x, first) for i in 1..<n do
        let s = o.step options (cost targets[i]) s
        in (places with [i] = (o.place s)[0], s)
    in places
}
module wg = walk g
module wa = walk a
module ww = walk w
module wr = walk r

-- The step to the place i uses the slope of the cost i - 1 at the place i - 1: 10 - 0.5 (10 - 2),
-- 6 - 0.5 (6 - 8), 7 - 0.5 (7 - 1).
-- ==
-- entry: descent
-- input { [2.0, 8, 1, 5] 10.0 } output { [10.0, 6, 7, 4] }
entry descent [n] (targets: [n]f64) (x: f64) =
  wg.walk (g.defaults with rate = 0.5 with batches = true) targets x

-- v is -0.1 * 8 = -0.8, then 0.5 * -0.8 - 0.1 * 7.2 = -1.12, then 0.5 * -1.12 - 0.1 * 6.08.
-- ==
-- entry: momentum
-- input { [2.0, 2, 2, 2] 10.0 } output { [10.0, 9.2, 8.08, 6.912] }
entry momentum [n] (targets: [n]f64) (x: f64) =
  wg.walk (g.defaults with rate = 0.1 with momentum = 0.5 with batches = true) targets x

-- 10 + 0.5 v - 0.1 g: v = -0.8 and 8.8; v = -0.4 - 0.68 = -1.08 and 8.8 - 0.54 - 0.68 = 7.58.
-- ==
-- entry: nesterov
-- input { [2.0, 2, 2] 10.0 } output { [10.0, 8.8, 7.58] }
entry nesterov [n] (targets: [n]f64) (x: f64) =
  wg.walk (g.defaults with rate = 0.1 with momentum = 0.5 with nesterov = true
           with batches = true)
          targets x

-- The first steps of Adam are as long as the rate, whatever the slope is.
-- ==
-- entry: adam_steps
-- input { [2.0, 2, 2] 10.0 } output { [10.0, 9.5, 9.0010] }
-- input { [2000.0, 2000, 2000] 10.0 } output { [10.0, 10.5, 11.0] }
entry adam_steps [n] (targets: [n]f64) (x: f64) =
  wa.walk (a.defaults with rate = 0.5 with batches = true) targets x

-- 10 - 0.5 (1 + 0.1 * 10).
-- ==
-- entry: adamw_steps
-- input { [2.0, 2] 10.0 } output { [10.0, 9.0] }
entry adamw_steps [n] (targets: [n]f64) (x: f64) =
  ww.walk (w.defaults with rate = 0.5 with weight_decay = 0.1 with batches = true) targets x

-- v = 0.1 * 64, and the step 0.5 * 8 / sqrt 6.4 = 1.5811.
-- ==
-- entry: rmsprop_steps
-- input { [2.0, 2] 10.0 } output { [10.0, 8.4189] }
entry rmsprop_steps [n] (targets: [n]f64) (x: f64) =
  wr.walk (r.defaults with rate = 0.5 with batches = true) targets x

-- A slope of 1 everywhere shows the rates.
module rates (o: optimiser with t = f64) = {
  def rates (options: o.options) (n: i64) : []f64 =
    let line (x: [1]f64) = x[0]
    let (places, _) =
      loop (places, s) = (replicate n 0, o.start options line [0.0]) for i < n do
        let s = o.step options line s
        in (places with [i] = (o.place s)[0], s)
    in map (\i -> if i == 0 then -places[0] else places[i - 1] - places[i]) (iota n)
}
module rg = rates g

-- ==
-- entry: constant
-- input { 3i64 } output { [2.0, 2, 2] }
entry constant n = rg.rates (g.defaults with rate = 2 with batches = true) n

-- ==
-- entry: warming
-- input { 6i64 } output { [0.5, 1, 1.5, 2, 2, 1] }
entry warming n =
  rg.rates (g.defaults with rate = 2 with schedule.warm_up = 4 with schedule.decay = 0.5
            with schedule.decay_every = 1 with batches = true) n

-- ==
-- entry: stairs
-- input { 7i64 } output { [8.0, 8, 8, 4, 4, 4, 2] }
entry stairs n =
  rg.rates (g.defaults with rate = 8 with schedule.decay = 0.5 with schedule.decay_every = 3
            with batches = true) n

-- ==
-- entry: waves
-- input { 6i64 } output { [1.0, 0.8682, 0.55, 0.2318, 0.1, 0.1] }
entry waves n =
  rg.rates (g.defaults with schedule.cosine = 4 with schedule.last = 0.1 with batches = true) n

-- ==
-- entry: clipped
-- input { 100.0 5.0 [10.0, 0] } output { [6.0957, 3.1235] }
-- input { 4.0 100.0 [10.0, 0] } output { [6.0, 4.0] }
-- input { 100.0 100.0 [10.0, 0] } output { [0.0, 8.0] }
entry clipped [p] (value: f64) (norm: f64) (x: [p]f64) : [p]f64 =
  let f (x: [p]f64) = f64.sum (map2 (\a x -> a * x) [10, -8] (x :> [2]f64))
  let options = g.defaults with clip.value = value with clip.norm = norm with batches = true
  in g.place (g.step options f (g.start options f x))

-- A batch without a finite cost moves nothing, and the next steps are shorter for a while.
-- ==
-- entry: broken_batch
-- input { [2.0, f64.nan, 2, 2] 10.0 } output { [10.0, 10.0, 9.6, 9.182] }
entry broken_batch [n] (targets: [n]f64) (x: f64) =
  wg.walk (g.defaults with rate = 0.5 with batches = true) targets x
