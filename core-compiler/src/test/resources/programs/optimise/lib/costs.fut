-- Costs with known minima, by number, and what came of a minimisation.

module costs (R: float) = {
  type t = R.t

  -- | Minimum 0 at 1, 2, 3, ...; axes have curvatures from 1 to the condition.
  def quadratic [p] (condition: t) (x: [p]t) : t =
    R.sum (map2 (\i x ->
                   let c = R.(condition ** from_fraction i (i64.max 1 (i64.(p - 1))))
                   let off = R.(x - i64 i - i64 1)
                   in R.(c * off * off / i64 2))
                (iota p) x)

  -- | Minimum 0 where all are 1 (for two numbers, Rosenbrock's).
  def rosenbrock [p] (x: [p]t) : t =
    R.sum (map (\i -> if i + 1 < p
                      then R.(let a = x[i]
                              let b = x[i64.(i + 1)]
                              let c = b - a * a
                              let d = i64 1 - a
                              in i64 100 * c * c + d * d)
                      else R.i64 0)
               (iota p))

  -- | NaN where a number is negative; minimum p where all are 1.
  def barrier [p] (x: [p]t) : t = R.sum (map (\x -> R.(x - log x)) x)

  -- | Minimum -p / 4 where all are 1 or -1; at 0 the slope is zero, but it is a maximum.
  def saddle [p] (x: [p]t) : t =
    R.sum (map (\x -> R.(x * x * x * x / i64 4 - x * x / i64 2)) x)

  -- | The Hessian is not diagonal: x + a (sum x)^2, with minimum 0 at 1.
  def coupled [p] (x: [p]t) : t =
    let off = map (R.- R.i64 1) x
    let total = R.sum off
    in R.(sum (map (\a -> a * a) off) + total * total)

  def cost [p] (kind: i64) (x: [p]t) : t =
    match kind
    case 0 -> quadratic (R.i64 10) x
    case 1 -> quadratic (R.i64 10000) x
    case 2 -> rosenbrock x
    case 3 -> barrier x
    case 4 -> saddle x
    case 5 -> coupled x
    case _ -> R.(nan + sum x)
}
