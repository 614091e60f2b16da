-- | Optimisers for sums of squares: half the squared length of the residuals, which a function
-- gives for a vector of parameters.
--
--     import "kenaz/least_squares"
--     module method = levenberg_marquardt f64
--     entry fit [n] (x: [n]f64) (y: [n]f64) (w: [2]f64) : [2]f64 =
--       let residuals (w: [2]f64) = map2 (\x y -> w[0] * f64.exp (w[1] * x) - y) x y
--       in method.place (method.minimise method.defaults 100 1e-10 residuals w)
--
-- J is the Jacobian of the residuals r. The gradient of the cost is J^T r, and J^T J takes the place
-- of the Hessian. Over a dataset in pieces, the residuals stay in the pieces.
--
-- Up to `dense` parameters, J^T J is computed as a matrix, in the same stage as cost and gradient;
-- the driver solves the equations. With more parameters, conjugate gradients solve them by products
-- with J^T J, each of which is a stage. What `kenaz/optimise` says of costs that are not finite, and
-- of places that are worse than the start, holds here too.

import "kenaz/descent"

-- | As `optimiser` of `kenaz/optimise`, with residuals in the place of the cost.
module type least_squares = {
  type t
  type options
  val defaults : options
  type~ state [p]
  val start [p][r] : options -> ([p]t -> [r]t) -> [p]t -> state [p]
  val step [p][r] : options -> ([p]t -> [r]t) -> state [p] -> state [p]
  val place [p] : state [p] -> [p]t
  -- | Half the sum of the squared residuals.
  val cost [p] : state [p] -> t
  val slope [p] : state [p] -> [p]t
  val done [p] : state [p] -> bool
  val settled [p] : (tolerance: t) -> state [p] -> bool
  val evaluations [p] : state [p] -> i64
  val minimise [p][r] :
    options -> (iterations: i64) -> (tolerance: t) -> ([p]t -> [r]t) -> [p]t -> state [p]
}

-- | What the two methods share.
local module normal_equations (R: float) = {
  open line_search R
  module equations = conjugate_gradients R

  -- | As many rows of J^T J as are kept: all or none.
  def kept (dense: i64) (p: i64) : i64 = if p <= dense then p else 0

  -- | Cost, gradient, and the first q rows of J^T J. The derivative of J(x)^T r(z) by z at z = x is
  -- J^T J.
  def measure [p][r] (q: i64) (f: [p]t -> [r]t) (x: [p]t) : (t, [p]t, [q][p]t) =
    let both (z: [p]t) : (t, [p]t) =
      let y = f z
      in (dot y y, vjp f x y)
    let units = tabulate_2d q p (\i j -> R.bool (i == j))
    let ((square, slope), rows) = jmp2 both x units
    in (R.(square / i64 2), slope, map (.1) rows)

  def product [p][r] (f: [p]t -> [r]t) (x: [p]t) (d: [p]t) : [p]t =
    jvp (\z -> vjp f x (f z)) x d

  -- | Solves `A z = b` for a positive definite matrix by Cholesky's decomposition. Where a pivot is
  -- not positive, the row counts as zero.
  def cholesky [p] (a: [p][p]t) (b: [p]t) : [p]t =
    let l =
      loop l = replicate p (replicate p zero) for j < p do
        let pivot = R.(a[j, j] - dot l[j] l[j])
        let root = if R.(pivot > zero) then R.sqrt pivot else R.inf
        let column =
          tabulate p (\i -> if i < j then zero
                            else if i == j then root
                            else R.((a[i, j] - dot l[i] l[j]) / root))
        in map2 (\row c -> map2 (\k old -> if k == j then c else old) (iota p) row) l column
    let y =
      loop y = map (const zero) b for i < p do
        y with [i] = copy R.((b[i] - dot l[i] y) / l[i, i])
    in loop z = map (const zero) b for k < p do
         let i = p - 1 - k
         in z with [i] = copy R.((y[i] - dot (map (\row -> row[i]) l) z) / l[i, i])

  -- | An approximate solution of `(J^T J + damping D) z = -slope`, and D. If the matrix is kept, D
  -- is its diagonal; otherwise it is `scale` everywhere.
  def solve [p][q][r] (f: [p]t -> [r]t) (x: [p]t) (slope: [p]t) (rows: [q][p]t)
                      (damping: t) (scale: t) (forcing: t) (limit: i64)
      : { step: [p]t, weights: [p]t, products: i64 } =
    let b = map R.neg slope
    in if q == p
       then let a = rows :> [p][p]t
            let diagonal = map (\i -> a[i, i]) (iota p)
            -- An axis along which nothing changes must not make the matrix singular.
            let floor = R.(max (largest diagonal) (number 1e-30) * epsilon)
            let weights = map (R.max floor) diagonal
            let damped =
              tabulate_2d p p (\i j ->
                if i == j then R.(a[i, j] + damping * weights[i]) else a[i, j])
            in { step = cholesky damped b, weights, products = 0 }
       else let z = equations.solve (product f x) R.(damping * scale) b forcing limit
            in { step = z.solution, weights = map (const scale) x, products = z.products }
}

-- | The settings of `gauss_newton`: up to how many parameters there is a matrix, how many products a
-- step may take otherwise, the constants of the strong Wolfe conditions, and how many places a line
-- search evaluates at most.
type gauss_newton_options 't =
  { dense: i64, products: i64, sufficient: t, curvature: t, trials: i64 }

-- | The Gauss-Newton method (Nocedal and Wright, section 10.3): Newton's method with J^T J in the
-- place of the Hessian, and a line search. It is fast where the residuals are small at the solution,
-- and exact after one step where they are linear. Cost of a step: mostly one evaluation, and with
-- more than `dense` parameters a product with J^T J for each iteration of conjugate gradients.
module gauss_newton (R: float)
  : (least_squares with t = R.t with options = gauss_newton_options R.t) = {
  open normal_equations R
  type options = gauss_newton_options t
  def defaults : options =
    { dense = 32, products = 100, sufficient = number 1e-4, curvature = number 0.9, trials = 20 }
  type~ state [p] =
    ?[q].{ place: [p]t, cost: t, slope: [p]t, rows: [q][p]t, forcing: t, limit: t
         , evaluations: i64, done: bool }
  def place [p] (s: state [p]) : [p]t = s.place
  def cost [p] (s: state [p]) : t = s.cost
  def slope [p] (s: state [p]) : [p]t = s.slope
  def done [p] (s: state [p]) : bool = s.done
  def evaluations [p] (s: state [p]) : i64 = s.evaluations
  def settled [p] (tolerance: t) (s: state [p]) : bool = s.done || small tolerance s.cost s.slope

  def start [p][r] (o: options) (f: [p]t -> [r]t) (x: [p]t) : state [p] =
    let (cost, slope, rows) = measure (kept o.dense p) f x
    in { place = x, cost, slope, rows, forcing = number 0.1, limit = cost, evaluations = 1
       , done = !usable cost slope || flat slope }

  def step [p][r] (o: options) (f: [p]t -> [r]t) (s: state [p]) : state [p] =
    let q = length s.rows
    let rows = s.rows :> [q][p]t
    let solved =
      solve f s.place s.slope rows R.(i64 1000 * epsilon) zero s.forcing
            (if s.done then 0 else i64.min o.products (2 * p))
    let descends = R.(dot solved.step s.slope < zero) && all is_finite solved.step
    let d = if descends then solved.step else map R.neg s.slope
    let next =
      strong_wolfe o.sufficient o.curvature (if s.done then 0 else o.trials) s.limit
                   (measure q f) s.place s.cost s.slope rows d (R.i64 1)
    in { place = plus s.place next.at d, cost = next.cost, slope = next.slope, rows = next.extra
       , forcing = equations.forcing s.forcing (norm s.slope) (norm next.slope)
       , limit = s.limit, evaluations = s.evaluations + solved.products + next.evaluations
       , done = !next.found || flat next.slope }

  def minimise [p][r] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> [r]t) (x: [p]t)
      : state [p] =
    (loop (s, i) = (start o f x, 0) while i < iterations && !(settled tolerance s) do
       (step o f s, i + 1)).0
}

-- | The settings of `levenberg_marquardt`: the first damping, relative to the diagonal of J^T J; up
-- to how many parameters there is a matrix; and how many products a step may take otherwise.
type levenberg_marquardt_options 't = { damping: t, dense: i64, products: i64 }

-- | The Levenberg-Marquardt method (Nocedal and Wright, section 10.3, with the damping of Nielsen,
-- 1999): a step solves `(J^T J + damping D) z = -J^T r`, where D is the diagonal of J^T J (Marquardt
-- 1963), or the same number everywhere if there is no matrix. A step that lowers the cost as
-- promised lets the damping fall; one that does not lower it is taken back, and the damping rises.
-- It needs no line search and copes with a singular J. Cost of a step: one evaluation, and with
-- more than `dense` parameters a product with J^T J for each iteration of conjugate gradients.
module levenberg_marquardt (R: float)
  : (least_squares with t = R.t with options = levenberg_marquardt_options R.t) = {
  open normal_equations R
  type options = levenberg_marquardt_options t
  def defaults : options = { damping = number 1e-3, dense = 32, products = 100 }
  type~ state [p] =
    ?[q].{ place: [p]t, cost: t, slope: [p]t, rows: [q][p]t, damping: t, growth: t, scale: t
         , forcing: t, limit: t, evaluations: i64, done: bool }
  def place [p] (s: state [p]) : [p]t = s.place
  def cost [p] (s: state [p]) : t = s.cost
  def slope [p] (s: state [p]) : [p]t = s.slope
  def done [p] (s: state [p]) : bool = s.done
  def evaluations [p] (s: state [p]) : i64 = s.evaluations
  def settled [p] (tolerance: t) (s: state [p]) : bool = s.done || small tolerance s.cost s.slope

  def start [p][r] (o: options) (f: [p]t -> [r]t) (x: [p]t) : state [p] =
    let (cost, slope, rows) = measure (kept o.dense p) f x
    in { place = x, cost, slope, rows, damping = o.damping, growth = R.i64 2, scale = zero
       , forcing = number 0.1, limit = cost, evaluations = 1
       , done = !usable cost slope || flat slope }

  def step [p][r] (o: options) (f: [p]t -> [r]t) (s: state [p]) : state [p] =
    let q = length s.rows
    let rows = s.rows :> [q][p]t
    let solved =
      solve f s.place s.slope rows s.damping s.scale s.forcing
            (if s.done then 0 else i64.min o.products (2 * p))
    let z = solved.step
    let (cost, slope, rows') = measure q f (map2 (R.+) s.place z)
    let down = R.neg (dot s.slope z)
    let damped = R.(s.damping * dot z (map2 (*) solved.weights z))
    let promised = R.((down + damped) / i64 2)
    let part = R.((s.cost - cost) / promised)
    let lower = R.(cost < s.cost) || as_good s.limit s.cost s.slope cost slope
    let taken = !s.done && all is_finite z && usable cost slope && R.(promised > zero) && lower
    -- The curvature of J^T J along the step, which is known from the equations.
    let bend = R.((down - damped) / dot z z)
    let scale = if is_finite bend then R.max s.scale bend else s.scale
    let evaluations = s.evaluations + solved.products + 1
    in if taken
       then let slack = R.(i64 2 * part - i64 1)
            in { place = map2 (R.+) s.place z, cost, slope, rows = rows'
               , damping = R.(max (number 1e-20)
                                  (s.damping * max (from_fraction 1 3)
                                                   (i64 1 - slack * slack * slack)))
               , growth = R.i64 2, scale
               , forcing = equations.forcing s.forcing (norm s.slope) (norm slope)
               , limit = s.limit, evaluations, done = flat slope }
       else { place = s.place, cost = s.cost, slope = s.slope, rows
            , damping = R.(s.damping * s.growth), growth = R.(i64 2 * s.growth), scale
            , forcing = s.forcing, limit = s.limit, evaluations
            , done =
                s.done || R.(s.damping > number 1e20)
                || (usable cost slope && R.(abs promised <= epsilon * s.cost)) }

  def minimise [p][r] (o: options) (iterations: i64) (tolerance: t) (f: [p]t -> [r]t) (x: [p]t)
      : state [p] =
    (loop (s, i) = (start o f x, 0) while i < iterations && !(settled tolerance s) do
       (step o f s, i + 1)).0
}
