-- What came of a minimisation.
import "costs"
import "kenaz/optimise"

-- | Whether it has settled, whether it is done, the cost, whether the cost is that of the place,
-- whether it is not above that of the start, and whether it took at most so many evaluations.
module outcome (R: float) (o: optimiser with t = R.t) = {
  module c = costs R
  type t = R.t
  def of [p] (options: o.options) (kind: i64) (iterations: i64) (tolerance: t) (bound: i64)
             (x: [p]t) =
    let f (x: [p]t) = c.cost kind x
    let s = o.minimise options iterations tolerance f x
    let same (a: t) (b: t) = R.(a == b || isnan a && isnan b)
    in (o.settled tolerance s, o.done s, o.cost s, same (o.cost s) (f (o.place s))
       , R.(o.cost s <= f x) || R.isnan (f x), o.evaluations s <= bound)
}
