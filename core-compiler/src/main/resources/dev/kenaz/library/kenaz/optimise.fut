-- | Optimisers: rules that lead from a place to one where a cost is lower.
--
-- A cost is a function from a vector to a number. Its gradient, and products with its Hessian, are
-- derivatives that the compiler makes, so a program gives the cost alone. All modules are over a
-- module of numbers, `f32` or `f64`:
--
--     import "kenaz/optimise"
--     module method = lbfgs f64
--     entry fit [n][d] (x: [n][d]f64) (y: [n]f64) (w: [d]f64) : [d]f64 =
--       method.place (method.minimise method.defaults 100 1e-8 (loss x y) w)
--
-- Over a dataset in pieces, an evaluation of cost and gradient is one stage, and so is a product
-- with the Hessian. Everything else is computed by the driver. A state has cost and slope of its
-- place, so that no place is evaluated twice.
--
-- No optimiser ends in a place that is worse than its start. Where the cost or the gradient on the
-- way is not finite, the step is taken back and made shorter.

import "kenaz/descent"

-- | What all optimisers of a cost have in common.
module type optimiser = {
  -- | The type of numbers.
  type t
  -- | The settings, a record.
  type options
  val defaults : options
  -- | Arrays and numbers: a place with its cost, and what the rule remembers.
  type~ state [p]
  -- | The state at a place. It costs one evaluation.
  val start [p] : options -> ([p]t -> t) -> [p]t -> state [p]
  -- | The state after one more step.
  val step [p] : options -> ([p]t -> t) -> state [p] -> state [p]
  -- | The best place so far. With mini-batches, it is the last place.
  val place [p] : state [p] -> [p]t
  -- | The cost there. It is NaN or infinite only if it is so at the start.
  val cost [p] : state [p] -> t
  -- | The gradient there.
  val slope [p] : state [p] -> [p]t
  -- | Whether no step improves any more. This is also the case if the cost or the gradient is not
  -- finite at the start.
  val done [p] : state [p] -> bool
  -- | Whether it is done, or no component of the slope is larger than the tolerance, which is
  -- relative to the cost if the cost is larger than 1.
  val settled [p] : (tolerance: t) -> state [p] -> bool
  -- | How often cost and gradient, or a product with the Hessian, were evaluated.
  val evaluations [p] : state [p] -> i64
  -- | The state after so many steps, or earlier once it is settled.
  val minimise [p] :
    options -> (iterations: i64) -> (tolerance: t) -> ([p]t -> t) -> [p]t -> state [p]
}

-- | How the rate changes from step to step. The rate of step k is `rate` times these factors:
--
-- - `warm_up`: over so many first steps the rate rises linearly; the others count from its end.
-- - `decay` to the power of `k / decay_every`, without remainder: with `decay_every = 1` it is an
--   exponential schedule, with more it is one of stairs.
-- - `cosine`: over so many steps the rate falls along half a cosine to `last` times the rate.
--
-- The defaults leave the rate as it is.
type schedule 't = { warm_up: i64, decay: t, decay_every: i64, cosine: i64, last: t }

-- | Bounds of the gradient that a step uses. First each component is limited to `value`, then the
-- gradient is made shorter if its length is more than `norm`. The defaults are infinite.
type clip 't = { norm: t, value: t }

-- | The settings of `gradient_descent`.
type gradient_descent_options 't =
  { rate: t, momentum: t, nesterov: bool, schedule: schedule t, clip: clip t, batches: bool }

-- | The settings of `adam`.
type adam_options 't =
  { rate: t, beta1: t, beta2: t, epsilon: t, schedule: schedule t, clip: clip t, batches: bool }

-- | The settings of `adamw`.
type adamw_options 't =
  { rate: t, beta1: t, beta2: t, epsilon: t, weight_decay: t, schedule: schedule t, clip: clip t
  , batches: bool }

-- | The settings of `rmsprop`.
type rmsprop_options 't =
  { rate: t, decay: t, epsilon: t, momentum: t, schedule: schedule t, clip: clip t
  , batches: bool }

-- | What the rules of first order share. Each of their steps is one evaluation, whether it is
-- taken or taken back.
--
-- They allow mini-batches, that is, another cost function at each step, if `batches` is set. A
-- step then uses the gradient that the step before it has computed from its own batch, at the
-- place where it ended. Costs of different batches aren't compared, and `place` is the last place.
local module first_order (R: float) = {
  open line_search R

  def constant : schedule t =
    { warm_up = 0, decay = R.i64 1, decay_every = 1, cosine = 0, last = R.i64 0 }
  def unclipped : clip t = { norm = R.inf, value = R.inf }

  -- | The rate of step k.
  def scheduled (rate: t) (s: schedule t) (k: i64) : t =
    let part (a: i64) (b: i64) : t = R.(min (i64 1) (from_fraction a (i64.max 1 b)))
    let rising = part (k + 1) s.warm_up
    let k = i64.max 0 (k - s.warm_up)
    let decayed = s.decay R.** R.i64 (k / i64.max 1 s.decay_every)
    let turn = part k s.cosine
    let wave = R.((i64 1 + cos (pi * turn)) / i64 2)
    let falling = if s.cosine > 0 then R.(s.last + (i64 1 - s.last) * wave) else R.i64 1
    in R.(rate * rising * decayed * falling)

  -- | The gradient within its bounds.
  def clipped [p] (c: clip t) (g: [p]t) : [p]t =
    let g = map (\x -> R.(max (neg c.value) (min c.value x))) g
    let length = norm g
    in if R.(length > c.norm) then scaled R.(c.norm / length) g else g

  type state [p] =
    { place: [p]t, cost: t, slope: [p]t
    , best: { place: [p]t, cost: t, slope: [p]t }
    , mean: [p]t, square: [p]t, steps: i64
    -- The part of the rate that is used, which falls when a step is taken back.
    , share: t
    -- The cost of the start.
    , limit: t, evaluations: i64, done: bool }

  def place [p] (s: state [p]) : [p]t = s.best.place
  def cost [p] (s: state [p]) : t = s.best.cost
  def slope [p] (s: state [p]) : [p]t = s.best.slope
  def done [p] (s: state [p]) : bool = s.done
  def evaluations [p] (s: state [p]) : i64 = s.evaluations
  def settled [p] (tolerance: t) (s: state [p]) : bool =
    s.done || small tolerance s.best.cost s.best.slope

  def begin [p] (f: [p]t -> t) (x: [p]t) (batches: bool) : state [p] =
    let (cost, slope) = evaluate f x
    let zeros = map (const (R.i64 0)) x
    in { place = x, cost, slope, best = { place = x, cost, slope }, mean = zeros, square = zeros
       , steps = 0, share = R.i64 1, limit = cost, evaluations = 1
       , done = !usable cost slope || (!batches && flat slope) }

  -- | Tries a move.
  --
  -- @param descends whether a step that does not lower the cost is taken back; then `mean` is the
  -- momentum, without which the next step starts
  def advance [p] (descends: bool) (batches: bool) (f: [p]t -> t) (s: state [p])
                  (move: [p]t) (mean: [p]t) (square: [p]t) : state [p] =
    let x = map2 (R.+) s.place move
    let (cost, slope) = evaluate f x
    let down = dot s.slope move
    let rolling = descends && any (R.!= R.i64 0) s.mean
    let lower =
      if rolling then R.(cost < s.cost)
      else R.(cost <= s.cost + down / i64 2) || as_good s.limit s.cost s.slope cost slope
    let taken = !s.done && usable cost slope && (batches || !descends || lower)
    let grown = R.(min (i64 1) (number 1.1 * s.share))
    -- Where the parabola through both costs has its minimum.
    let bottom = R.(neg down / (i64 2 * (cost - s.cost - down)))
    let shrunk = R.(if usable cost slope then max (number 0.1) (min (number 0.5) bottom)
                    else number 0.1)
    let invisible = R.(abs down <= epsilon * abs s.cost) && usable cost slope
    let still = R.(s.share < number 1e-30) || and (map2 (R.==) x s.place)
    in if taken
       then let here = { place = x, cost, slope }
            let better =
              R.(cost < s.best.cost) || as_good s.limit s.best.cost s.best.slope cost slope
            in { place = x, cost, slope
               , best = if batches || better then here else s.best
               , mean, square, steps = s.steps + 1, share = grown, limit = s.limit
               , evaluations = s.evaluations + 1, done = !batches && flat slope }
       else if rolling
       then s with mean = map (const zero) mean with evaluations = s.evaluations + 1
       else s with share = R.(s.share * shrunk)
              with evaluations = s.evaluations + 1
              with done = (s.done || still || (descends && invisible))

  def run [p] (iterations: i64) (tolerance: t) (step: state [p] -> state [p]) (s: state [p])
      : state [p] =
    repeat iterations (settled tolerance) step s
}

-- | Gradient descent with momentum (Polyak 1964) or Nesterov's (Sutskever et al., ICML 2013):
--
--     v' = momentum v - rate g
--     x' = x + v'                     or, with `nesterov`, x + momentum v' - rate g
--
-- A step that does not lower the cost enough is taken back. The next one is without momentum; if
-- it had none, it is shorter. So `rate` is the largest rate, and a rate that is too large costs
-- evaluations, but does no harm. Cost of a step: one evaluation. It allows mini-batches.
module gradient_descent (R: float)
  : (optimiser with t = R.t with options = gradient_descent_options R.t) = {
  open first_order R
  type options = gradient_descent_options t
  def defaults : options =
    { rate = number 1, momentum = zero, nesterov = false, schedule = constant, clip = unclipped
    , batches = false }
  def start [p] (o: options) (f: [p]t -> t) (x: [p]t) : state [p] = begin f x o.batches
  def step [p] (o: options) (f: [p]t -> t) (s: state [p]) : state [p] =
    let rate = R.(s.share * scheduled o.rate o.schedule s.steps)
    let pull = scaled (R.neg rate) (clipped o.clip s.slope)
    let velocity = plus pull o.momentum s.mean
    let move = if o.nesterov then plus pull o.momentum velocity else velocity
    in advance (!o.batches) o.batches f s move velocity s.square
  def minimise [p] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> t) (x: [p]t)
      : state [p] =
    run iterations tolerance (step o f) (start o f x)
}

-- | Adam and AdamW.
local module adaptive (R: float) = {
  open first_order R

  -- | A step of Adam (Kingma and Ba, ICLR 2015, algorithm 1) that also pulls the place to zero.
  def adaptive_step [p] (o: adamw_options t) (f: [p]t -> t) (s: state [p]) : state [p] =
    let rate = R.(s.share * scheduled o.rate o.schedule s.steps)
    let g = clipped o.clip s.slope
    let one = R.i64 1
    let mean = map2 (\m g -> R.(o.beta1 * m + (one - o.beta1) * g)) s.mean g
    let square = map2 (\v g -> R.(o.beta2 * v + (one - o.beta2) * g * g)) s.square g
    let k = R.i64 (s.steps + 1)
    let mean_bias = R.(one - o.beta1 ** k)
    let square_bias = R.(one - o.beta2 ** k)
    let move =
      map3 (\m v x ->
              let direction = R.(m / mean_bias / (sqrt (v / square_bias) + o.epsilon))
              in R.(neg rate * (direction + o.weight_decay * x)))
           mean square s.place
    in advance false o.batches f s move mean square
}

-- | Adam (Kingma and Ba, ICLR 2015):
--
--     m' = beta1 m + (1 - beta1) g
--     v' = beta2 v + (1 - beta2) g^2
--     x' = x - rate (m' / (1 - beta1^k)) / (sqrt (v' / (1 - beta2^k)) + epsilon)
--
-- It passes through places with a higher cost; `place` is the best one on the way. Cost of a step:
-- one evaluation. It allows mini-batches.
module adam (R: float) : (optimiser with t = R.t with options = adam_options R.t) = {
  open adaptive R
  type options = adam_options t
  def defaults : options =
    { rate = number 1e-3, beta1 = number 0.9, beta2 = number 0.999, epsilon = number 1e-8
    , schedule = constant, clip = unclipped, batches = false }
  def start [p] (o: options) (f: [p]t -> t) (x: [p]t) : state [p] = begin f x o.batches
  def step [p] (o: options) (f: [p]t -> t) (s: state [p]) : state [p] =
    adaptive_step { rate = o.rate, beta1 = o.beta1, beta2 = o.beta2, epsilon = o.epsilon
                  , weight_decay = zero, schedule = o.schedule, clip = o.clip
                  , batches = o.batches }
                  f s
  def minimise [p] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> t) (x: [p]t)
      : state [p] =
    run iterations tolerance (step o f) (start o f x)
}

-- | Adam with a decay of the weights that is not part of the gradient (Loshchilov and Hutter, ICLR
-- 2019): each step also subtracts `rate weight_decay x`. Cost of a step: one evaluation. It allows
-- mini-batches. Without them, `place` is the place with the lowest cost, of which the decay is no
-- part; a training over the whole data should rather have the decay in its cost.
module adamw (R: float) : (optimiser with t = R.t with options = adamw_options R.t) = {
  open adaptive R
  type options = adamw_options t
  def defaults : options =
    { rate = number 1e-3, beta1 = number 0.9, beta2 = number 0.999, epsilon = number 1e-8
    , weight_decay = number 1e-2, schedule = constant, clip = unclipped, batches = false }
  def start [p] (o: options) (f: [p]t -> t) (x: [p]t) : state [p] = begin f x o.batches
  def step [p] (o: options) (f: [p]t -> t) (s: state [p]) : state [p] = adaptive_step o f s
  def minimise [p] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> t) (x: [p]t)
      : state [p] =
    run iterations tolerance (step o f) (start o f x)
}

-- | RMSProp (Tieleman and Hinton, 2012), with momentum if wanted:
--
--     v' = decay v + (1 - decay) g^2
--     m' = momentum m - rate g / (sqrt v' + epsilon)
--     x' = x + m'
--
-- It passes through places with a higher cost; `place` is the best one on the way. Cost of a step:
-- one evaluation. It allows mini-batches.
module rmsprop (R: float) : (optimiser with t = R.t with options = rmsprop_options R.t) = {
  open first_order R
  type options = rmsprop_options t
  def defaults : options =
    { rate = number 1e-3, decay = number 0.9, epsilon = number 1e-8, momentum = zero
    , schedule = constant, clip = unclipped, batches = false }
  def start [p] (o: options) (f: [p]t -> t) (x: [p]t) : state [p] = begin f x o.batches
  def step [p] (o: options) (f: [p]t -> t) (s: state [p]) : state [p] =
    let rate = R.(s.share * scheduled o.rate o.schedule s.steps)
    let g = clipped o.clip s.slope
    let square = map2 (\v g -> R.(o.decay * v + (i64 1 - o.decay) * g * g)) s.square g
    let move =
      map3 (\m v g -> R.(o.momentum * m - rate * g / (sqrt v + o.epsilon))) s.mean square g
    in advance false o.batches f s move move square
  def minimise [p] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> t) (x: [p]t)
      : state [p] =
    run iterations tolerance (step o f) (start o f x)
}

-- | The settings of `proximal`.
type proximal_options 't = { l1: t, curvature: t }

-- | Minimises `f x + l1 |x|`, where `|x|` is the sum of absolute values, as for lasso. A step goes
-- against the gradient of f and then moves each component towards zero:
--
--     x' = soft (x - g / c) (l1 / c),     soft z a = sgn z max 0 (|z| - a)
--
-- `c` is the curvature between the last two places (SpaRSA: Wright, Nowak and Figueiredo, IEEE
-- Trans. Signal Process. 57(7), 2009). A step that does not lower the highest of the last ten costs
-- is taken back, and `c` grows. So it may pass through places with a higher cost; `place` is the
-- best one on the way. `curvature` is the first c. Components that should be zero become zero
-- exactly. `cost` has the term `l1 |x|`, and `slope` is the shortest subgradient, which is zero
-- where no step improves. Cost of a step: one evaluation.
module proximal (R: float)
  : (optimiser with t = R.t with options = proximal_options R.t) = {
  open vectors R
  type options = proximal_options t
  def defaults : options = { l1 = zero, curvature = number 1 }
  type state [p] =
    { place: [p]t, cost: t, gradient: [p]t
    , best: { place: [p]t, cost: t, slope: [p]t }
    , costs: [10]t, curvature: t
    -- Steps without a better place where costs differ by no more than their rounding.
    , idle: i64
    , limit: t, evaluations: i64, done: bool }
  def place [p] (s: state [p]) : [p]t = s.best.place
  def cost [p] (s: state [p]) : t = s.best.cost
  def slope [p] (s: state [p]) : [p]t = s.best.slope
  def done [p] (s: state [p]) : bool = s.done
  def evaluations [p] (s: state [p]) : i64 = s.evaluations
  def settled [p] (tolerance: t) (s: state [p]) : bool =
    s.done || small tolerance s.best.cost s.best.slope

  local def soft (z: t) (a: t) : t = if R.(abs z <= a) then zero else R.(z - a * sgn z)
  local def whole [p] (o: options) (f: [p]t -> t) (x: [p]t) : (t, [p]t) =
    let (cost, g) = evaluate f x
    in (R.(cost + o.l1 * sum (map abs x)), g)
  local def subgradient [p] (l1: t) (x: [p]t) (g: [p]t) : [p]t =
    map2 (\x g -> if R.(x == zero) then soft g l1 else R.(g + l1 * sgn x)) x g

  def start [p] (o: options) (f: [p]t -> t) (x: [p]t) : state [p] =
    let (cost, gradient) = whole o f x
    let slope = subgradient o.l1 x gradient
    in { place = x, cost, gradient, best = { place = x, cost, slope }, costs = replicate 10 cost
       , curvature = o.curvature, idle = 0, limit = cost, evaluations = 1
       , done = !usable cost gradient || flat slope }

  def step [p] (o: options) (f: [p]t -> t) (s: state [p]) : state [p] =
    let c = s.curvature
    let x = map2 (\x g -> soft R.(x - g / c) R.(o.l1 / c)) s.place s.gradient
    let (cost, gradient) = whole o f x
    let slope = subgradient o.l1 x gradient
    let move = map2 (R.-) x s.place
    let square = dot move move
    let better =
      R.(cost < s.best.cost) || as_good s.limit s.best.cost s.best.slope cost slope
    let ceiling = R.maximum s.costs
    let rounding = R.(i64 4 * epsilon * abs ceiling)
    let hidden = R.(c * square <= rounding)
    let enough =
      better || R.(cost <= ceiling - number 1e-4 * c * square)
      || hidden && R.(cost <= min s.limit (ceiling + rounding))
    let taken = !s.done && usable cost gradient && enough
    let bend = R.(dot move (map2 (-) gradient s.gradient) / square)
    let next = if is_finite bend && R.(bend > zero) then bend else R.(c / i64 10)
    let idle = if better then 0 else s.idle + i64.bool hidden
    in if taken
       then { place = x, cost, gradient
            , best = if better then { place = x, cost, slope } else s.best
            , costs = map (\i -> if i == 0 then cost else s.costs[i - 1]) (iota 10)
            , curvature = next, idle, limit = s.limit, evaluations = s.evaluations + 1
            , done = flat slope || idle > 50 }
       else s with curvature = R.(i64 2 * c)
              with idle = idle
              with evaluations = s.evaluations + 1
              with done = (s.done || idle > 50 || R.(square == zero) || R.(c > number 1e30))

  def minimise [p] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> t) (x: [p]t)
      : state [p] =
    repeat iterations (settled tolerance) (step o f) (start o f x)
}

-- | The settings of `lbfgs`: how many steps it remembers, the constants of the strong Wolfe
-- conditions, and how many places a line search evaluates at most.
type lbfgs_options 't = { memory: i64, sufficient: t, curvature: t, trials: i64 }

-- | L-BFGS: a quasi-Newton method that knows the Hessian from its last steps and the changes of the
-- gradient that they made (Nocedal and Wright, algorithms 7.4 and 7.5), with a line search for the
-- strong Wolfe conditions. Where the search finds nothing, it forgets its steps and goes against
-- the gradient. Cost of a step: one evaluation for each place of the line search, which is mostly
-- one. The method of choice for smooth costs.
module lbfgs (R: float) : (optimiser with t = R.t with options = lbfgs_options R.t) = {
  open line_search R
  type options = lbfgs_options t
  def defaults : options =
    { memory = 10, sufficient = number 1e-4, curvature = number 0.9, trials = 20 }
  -- | Steps and changes of the gradient begin with the last one.
  type~ state [p] =
    ?[m].{ place: [p]t, cost: t, slope: [p]t, steps: [m][p]t, changes: [m][p]t, kept: i64
         , limit: t, evaluations: i64, done: bool }
  def place [p] (s: state [p]) : [p]t = s.place
  def cost [p] (s: state [p]) : t = s.cost
  def slope [p] (s: state [p]) : [p]t = s.slope
  def done [p] (s: state [p]) : bool = s.done
  def evaluations [p] (s: state [p]) : i64 = s.evaluations
  def settled [p] (tolerance: t) (s: state [p]) : bool = s.done || small tolerance s.cost s.slope

  def start [p] (o: options) (f: [p]t -> t) (x: [p]t) : state [p] =
    let (cost, slope) = evaluate f x
    let none = replicate (i64.max 0 o.memory) (replicate p zero)
    in { place = x, cost, slope, steps = none, changes = none, kept = 0, limit = cost
       , evaluations = 1
       , done = !usable cost slope || flat slope }

  -- | The product of minus the gradient with the approximate inverse of the Hessian.
  local def direction [m][p] (steps: [m][p]t) (changes: [m][p]t) (kept: i64) (slope: [p]t)
      : [p]t =
    let part (i: i64) (x: [p]t) (y: [p]t) : t = R.(dot x y / dot steps[i] changes[i])
    let (q, weights) =
      loop (q, weights) = (slope, replicate m zero) for i < kept do
        let w = part i steps[i] q
        in (plus q (R.neg w) changes[i], weights with [i] = w)
    let scale =
      if kept == 0 then R.i64 1
      else R.(dot steps[0] changes[0] / dot changes[0] changes[0])
    let q =
      loop q = scaled scale q for j < kept do
        let i = kept - 1 - j
        in plus q R.(weights[i] - part i changes[i] q) steps[i]
    in map R.neg q

  def step [p] (o: options) (f: [p]t -> t) (s: state [p]) : state [p] =
    let newton = direction s.steps s.changes s.kept s.slope
    let descends = s.kept > 0 && R.(dot newton s.slope < zero) && all is_finite newton
    let d = if descends then newton else map R.neg s.slope
    -- The first step of all has length 1, as nothing is known of the cost yet.
    let first = if descends then R.i64 1 else R.(recip (norm s.slope))
    let next =
      strong_wolfe o.sufficient o.curvature (if s.done then 0 else o.trials) s.limit
                   (\x -> let (c, g) = evaluate f x in (c, g, ()))
                   s.place s.cost s.slope () d first
    let move = scaled next.at d
    let change = map2 (R.-) next.slope s.slope
    let curved = next.found && R.(dot move change > epsilon * dot change change)
    let before [m] (a: [p]t) (b: [m][p]t) : [m][p]t =
      tabulate m (\i -> if i == 0 then a else b[i - 1])
    in { place = map2 (R.+) s.place move, cost = next.cost, slope = next.slope
       , steps = if curved then before move s.steps else s.steps
       , changes = if curved then before change s.changes else s.changes
       , kept =
           if curved then i64.min (length s.steps) (s.kept + 1)
           else if next.found then s.kept
           else 0
       , limit = s.limit, evaluations = s.evaluations + next.evaluations
       , done = s.done || flat next.slope || (!next.found && s.kept == 0) }

  def minimise [p] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> t) (x: [p]t)
      : state [p] =
    (loop (s, i) = (start o f x, 0) while i < iterations && !(settled tolerance s) do
       (step o f s, i + 1)).0
}

-- | The settings of `newton_cg`: how many products a step may take at most, the constants of the
-- strong Wolfe conditions, and how many places a line search evaluates at most.
type newton_cg_options 't = { products: i64, sufficient: t, curvature: t, trials: i64 }

-- | Newton's method by products with the Hessian (Nocedal and Wright, algorithm 7.1). The equations
-- of a step are solved by conjugate gradients, near the solution more exactly than far from it, and
-- only until a direction of negative curvature comes up. Then a line search follows, which begins
-- with the whole step. Cost of a step: a product with the Hessian, which costs about two
-- evaluations, for each iteration of conjugate gradients, and mostly one evaluation. For smooth
-- costs with many parameters that `lbfgs` solves slowly.
module newton_cg (R: float)
  : (optimiser with t = R.t with options = newton_cg_options R.t) = {
  open line_search R
  local module equations = conjugate_gradients R
  type options = newton_cg_options t
  def defaults : options =
    { products = 100, sufficient = number 1e-4, curvature = number 0.9, trials = 20 }
  type state [p] =
    { place: [p]t, cost: t, slope: [p]t, forcing: t, limit: t, evaluations: i64, done: bool }
  def place [p] (s: state [p]) : [p]t = s.place
  def cost [p] (s: state [p]) : t = s.cost
  def slope [p] (s: state [p]) : [p]t = s.slope
  def done [p] (s: state [p]) : bool = s.done
  def evaluations [p] (s: state [p]) : i64 = s.evaluations
  def settled [p] (tolerance: t) (s: state [p]) : bool = s.done || small tolerance s.cost s.slope

  def start [p] (_: options) (f: [p]t -> t) (x: [p]t) : state [p] =
    let (cost, slope) = evaluate f x
    in { place = x, cost, slope, forcing = number 0.5, limit = cost, evaluations = 1
       , done = !usable cost slope || flat slope }

  def step [p] (o: options) (f: [p]t -> t) (s: state [p]) : state [p] =
    let product (d: [p]t) = jvp (\x -> vjp f x (R.i64 1)) s.place d
    let newton =
      equations.solve product zero (map R.neg s.slope) s.forcing
                      (if s.done then 0 else i64.min o.products (2 * p))
    let descends = R.(dot newton.solution s.slope < zero) && all is_finite newton.solution
    let d = if descends then newton.solution else map R.neg s.slope
    let next =
      strong_wolfe o.sufficient o.curvature (if s.done then 0 else o.trials) s.limit
                   (\x -> let (c, g) = evaluate f x in (c, g, ()))
                   s.place s.cost s.slope () d (R.i64 1)
    in { place = plus s.place next.at d, cost = next.cost, slope = next.slope
       , forcing = equations.forcing s.forcing (norm s.slope) (norm next.slope)
       , limit = s.limit, evaluations = s.evaluations + newton.products + next.evaluations
       , done = !next.found || flat next.slope }

  def minimise [p] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> t) (x: [p]t)
      : state [p] =
    repeat iterations (settled tolerance) (step o f) (start o f x)
}

-- | The settings of `newton_diagonal`: the part of a whole step that is tried first, how often a
-- step is halved at most, and with how many directions at most the Hessian is multiplied in one
-- pass.
type newton_diagonal_options 't = { rate: t, halvings: i64, block: i64 }

-- | Newton's method with the diagonal of the Hessian: each component of the gradient is divided by
-- the curvature along its axis. It is exact for costs whose Hessian has nothing but a diagonal,
-- such as that of k-means ("AD for an Array Language with Nested Parallelism", 2022, section 7.4).
--
-- For such costs, the product of the Hessian with a vector of ones is the diagonal. A second
-- product, with a vector of random signs, checks at each place that it is. Once the check fails,
-- the diagonal comes from the products with all unit vectors. A coupling below a thousandth of the
-- entries of its row is not noticed; it only makes steps longer or shorter.
--
-- Where the cost curves downwards, the step is as long as if it curved upwards. Where it doesn't
-- curve at all, the largest curvature along any axis is taken. A step that does not lower the cost
-- enough is halved.
--
-- Cost of a step: mostly one pass that computes cost, gradient and two products; or p products in
-- passes of `block` directions. `evaluations` counts passes.
module newton_diagonal (R: float)
  : (optimiser with t = R.t with options = newton_diagonal_options R.t) = {
  open vectors R
  type options = newton_diagonal_options t
  def defaults : options = { rate = number 1, halvings = 40, block = 32 }
  type state [p] =
    { place: [p]t, cost: t, slope: [p]t, diagonal: [p]t, coupled: bool, limit: t
    , evaluations: i64, done: bool }
  def place [p] (s: state [p]) : [p]t = s.place
  def cost [p] (s: state [p]) : t = s.cost
  def slope [p] (s: state [p]) : [p]t = s.slope
  def done [p] (s: state [p]) : bool = s.done
  def evaluations [p] (s: state [p]) : i64 = s.evaluations
  def settled [p] (tolerance: t) (s: state [p]) : bool = s.done || small tolerance s.cost s.slope

  -- | 1 or -1, by the bits of a number (Steele, Lea and Flood, OOPSLA 2014).
  local def sign (i: i64) : t =
    let mix (z: u64) (shift: u64) (factor: u64) = (z ^ (z >> shift)) * factor
    let z = u64.i64 (i + 1) * 0x9e3779b97f4a7c15
    let z = mix (mix z 30 0xbf58476d1ce4e5b9) 27 0x94d049bb133111eb
    in if (z >> 33) & 1 == 0 then R.i64 1 else R.i64 (-1)

  -- | Cost, gradient and diagonal at `x + a d` for the first a of 1, 1/2, 1/4, ... where the cost
  -- is low enough, or as they were if there is none. At the start, any cost is low enough.
  local def measure [p] (o: options) (f: [p]t -> t) (first: bool) (s: state [p]) (d: [p]t)
      : state [p] =
    let down = dot s.slope d
    let (_, next, _, coupled, passes, _) =
      loop (a, next, begin, coupled, n, go) =
           (R.i64 1, s with done = true, 0, s.coupled, 0, first || (!s.done && R.(down < zero)))
      while go do
        let x = plus s.place a d
        let count = if coupled then i64.min (i64.max 1 o.block) (p - begin) else 2
        let directions =
          tabulate_2d count p (\k i ->
            if coupled then R.bool (i == begin + k)
            else if k == 0 then R.i64 1
            else sign (i + p * s.evaluations))
        let ((cost, slope), products) = jmp2 (\x -> vjp2 f x (R.i64 1)) x directions
        let products = map (.1) products
        let good = usable cost slope
        let low =
          begin > 0
          || (good && (first || R.(cost <= s.cost + number 1e-4 * a * down)
                       || as_good s.limit s.cost s.slope cost slope))
        let here = next with place = x with cost = cost with slope = slope with done = flat slope
        let right (s: t) (one: t) (other: t) : bool =
          R.(abs (other - s * one) <= number 1e-3 * max (abs one) (abs other))
        in if first && !good
           then (a, here with done = true, 0, coupled, n + 1, false)
           else if !low
           then (R.(a / i64 2), next, 0, coupled, n + 1
                , n < o.halvings && (!good || R.(abs (a * down) > epsilon * abs s.cost)))
           else if coupled
           then let diagonal =
                  map2 (\i old -> if begin <= i && i < begin + count then products[i - begin, i]
                                  else old)
                       (iota p) next.diagonal
                let end = begin + count
                in (a, here with diagonal = diagonal, end, coupled, n + 1, end < p)
           else if and (map3 right directions[1] products[0] products[1])
           then (a, here with diagonal = products[0], 0, coupled, n + 1, false)
           else (a, next, 0, true, n + 1, true)
    in next with coupled = coupled with evaluations = s.evaluations + passes

  def start [p] (o: options) (f: [p]t -> t) (x: [p]t) : state [p] =
    let zeros = map (const zero) x
    let nowhere =
      { place = x, cost = zero, slope = zeros, diagonal = zeros, coupled = false
      , limit = zero, evaluations = 0, done = false }
    let s = measure o f true nowhere zeros
    in s with limit = s.cost

  def step [p] (o: options) (f: [p]t -> t) (s: state [p]) : state [p] =
    let bends = map (\c -> if is_finite c then R.abs c else zero) s.diagonal
    let most = largest bends
    let move (g: t) (c: t) : t =
      let c = if R.(c > zero) then c else if R.(most > zero) then most else R.i64 1
      in if R.(g == zero) then zero else R.(neg o.rate * g / c)
    in measure o f false s (map2 move s.slope bends)

  def minimise [p] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> t) (x: [p]t)
      : state [p] =
    repeat iterations (settled tolerance) (step o f) (start o f x)
}
