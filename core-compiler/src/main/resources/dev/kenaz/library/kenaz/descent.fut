-- | What optimisers are made of: vectors, a line search, and linear equations that are solved by
-- products with their matrix. See `kenaz/optimise` and `kenaz/least_squares`.

-- | Vectors of real numbers.
module vectors (R: float) = {
  type t = R.t
  def zero : t = R.i64 0
  def number (x: f64) : t = R.f64 x
  def dot [p] (x: [p]t) (y: [p]t) : t = R.sum (map2 (R.*) x y)
  def norm [p] (x: [p]t) : t = R.sqrt (dot x x)
  -- | The length of `x - y`.
  def distance [p] (x: [p]t) (y: [p]t) : t = norm (map2 (R.-) x y)
  -- | The largest absolute value; 0 of no numbers.
  def largest [p] (x: [p]t) : t = reduce R.max zero (map R.abs x)
  def scaled [p] (a: t) (x: [p]t) : [p]t = map (a R.*) x
  -- | `x + a d`.
  def plus [p] (x: [p]t) (a: t) (d: [p]t) : [p]t = map2 (\x d -> R.(x + a * d)) x d
  def is_finite (x: t) : bool = !(R.isnan x || R.isinf x)

  -- | The value of a function and its gradient.
  def evaluate [p] (f: [p]t -> t) (x: [p]t) : (t, [p]t) = vjp2 f x (R.i64 1)
  -- | Whether a place with this cost and slope may be used.
  def usable [p] (cost: t) (slope: [p]t) : bool = is_finite cost && all is_finite slope
  -- | Whether the slope is exactly zero.
  def flat [p] (slope: [p]t) : bool = all (R.== zero) slope
  -- | Whether no component of the slope is larger than the tolerance, which is relative to a cost
  -- above 1.
  def small [p] (tolerance: t) (cost: t) (slope: [p]t) : bool =
    R.(largest slope <= tolerance * max (i64 1) (abs cost))

  -- | Whether a place with another cost and slope is at least as good, where costs differ by no more
  -- than their rounding: its slope is smaller, and its cost is not above the limit. With the cost of
  -- the start as limit, no rounding errors can add up to a place that is worse than the start.
  def as_good [p] (limit: t) (cost: t) (slope: [p]t) (other: t) (other_slope: [p]t) : bool =
    R.(other <= limit && other <= cost + i64 4 * epsilon * abs cost)
    && R.(norm other_slope < norm slope)

  -- | Makes steps until there were so many, or until one should stop.
  def repeat 's (iterations: i64) (stop: s -> bool) (step: s -> s) (s: s) : s =
    (loop (s, i) = (s, 0) while i < iterations && !(stop s) do (step s, i + 1)).0
}

-- | A search along a line for a place that satisfies the strong Wolfe conditions: the cost is
-- lower by `c1` of what the slope promised, and the slope along the line is at most `c2` of what
-- it was (Nocedal and Wright, Numerical Optimization, 2nd edition, algorithms 3.5 and 3.6).
--
-- Where costs differ by no more than their rounding, the condition on the cost is replaced by one
-- on the slope (Hager and Zhang, SIAM J. Optim. 16(1), 2005).
module line_search (R: float) = {
  open vectors R

  -- | Where the cubic with these values and slopes at two points has its minimum (equation 3.59).
  def cubic (a: t) (fa: t) (ga: t) (b: t) (fb: t) (gb: t) : t =
    let d1 = R.(ga + gb - i64 3 * (fa - fb) / (a - b))
    let d2 = R.(sgn (b - a) * sqrt (d1 * d1 - ga * gb))
    in R.(b - (b - a) * (gb + d2 - d1) / (gb - ga + i64 2 * d2))

  -- | Searches from a place in a direction, first at the distance `first`, and evaluates at most
  -- `trials` places. No place with a cost above the limit is taken. `measure` gives cost and slope,
  -- and whatever else the caller wants to know of the place that is found.
  --
  -- `low` is the best point so far, and `high` the other end of the interval that has a solution;
  -- it is infinite as long as the interval has no end. What is not found at all is at distance 0.
  def strong_wolfe [p] 'e (c1: t) (c2: t) (trials: i64) (limit: t)
                          (measure: [p]t -> (t, [p]t, e)) (x: [p]t) (cost: t) (slope: [p]t)
                          (extra: e) (d: [p]t) (first: t) =
    let down = dot slope d
    let endless = { at = R.inf, cost = R.nan, along = R.nan }
    let start = { at = zero, cost, along = down, slope, extra }
    let (low, _, _, evaluations, _) =
      loop (low, high, at, n, go) = (start, endless, first, 0, R.(down < zero))
      while go && n < trials do
        let (c, g, extra) = measure (plus x at d)
        let along = dot g d
        let usable = usable c g && is_finite along
        let equal =
          as_good limit cost slope c g && R.(along <= (i64 2 * c1 - i64 1) * down)
        let worse =
          !usable || !equal && (R.(c > cost + c1 * at * down) || R.(c > low.cost))
        let level = !worse && R.(abs along <= neg c2 * down)
        let closed = R.(high.at < inf)
        let turned = R.(if closed then along * (high.at - low.at) >= zero else along >= zero)
        let low' = if worse then low else { at, cost = c, along, slope = g, extra }
        let high' =
          if worse then (if usable then { at, cost = c, along } else endless with at = at)
          else if turned then { at = low.at, cost = low.cost, along = low.along }
          else high
        let guess =
          if worse || closed || turned
          then cubic low'.at low'.cost low'.along high'.at high'.cost high'.along
          else cubic low.at low.cost low.along at c along
        let part (a: f64) = R.(low'.at + f64 a * (high'.at - low'.at))
        let (from, to, otherwise) =
          if R.(high'.at < inf) then (part 0.1, part 0.9, part 0.5)
          else R.((i64 2 * at, i64 10 * at, i64 4 * at))
        let next =
          if is_finite guess then R.(max (min from to) (min (max from to) guess)) else otherwise
        -- No search is worth its price if the cost can't show what it finds.
        let visible =
          R.(abs (next - low'.at) > epsilon * abs next)
          && (!usable || R.(abs (next * down) > epsilon * abs cost))
        in (low', high', next, n + 1, !level && visible)
    in { found = R.(low.at > zero), at = low.at, cost = low.cost, slope = low.slope
       , extra = low.extra, evaluations }
}

-- | Conjugate gradients: linear equations of which only products with the matrix are computed.
module conjugate_gradients (R: float) = {
  open vectors R

  -- | An approximate solution of `(A + shift) z = b` for a symmetric A. It ends once the residual
  -- is at most `tolerance` times as long as b, after `limit` products, or in a direction in which
  -- the matrix is not positive (Nocedal and Wright, algorithm 7.1); if that is the first one, the
  -- result is b.
  def solve [p] (product: [p]t -> [p]t) (shift: t) (b: [p]t) (tolerance: t) (limit: i64)
      : { solution: [p]t, products: i64 } =
    let goal = R.(let length = tolerance * norm b in length * length)
    let (z, _, _, _, n, _) =
      loop (z, r, d, rr, n, go) = (map (const zero) b, b, b, dot b b, 0, any (R.!= zero) b)
      while go && n < limit do
        let h = plus (product d) shift d
        let bend = dot d h
        let positive = is_finite bend && R.(bend > zero)
        let a = R.(rr / bend)
        let r' = plus r (R.neg a) h
        let rr' = dot r' r'
        let z' = if positive then plus z a d else if n == 0 then b else z
        let d' = plus r' R.(rr' / rr) d
        in (z', r', d', rr', n + 1, positive && R.(rr' > goal))
    in { solution = z, products = n }

  -- | How exactly the next equations are solved, from the lengths of the gradient before and after
  -- the last step (Eisenstat and Walker, SIAM J. Sci. Comput. 17(1), 1996, choice 2).
  def forcing (last: t) (before: t) (after: t) : t =
    let part = R.(after / before)
    let next = R.(number 0.9 * part * part)
    let kept = R.(number 0.9 * last * last)
    let next = if R.(kept > number 0.1) then R.max next kept else next
    in if is_finite next then R.(max (number 1e-8) (min (number 0.5) next)) else number 0.5
}
