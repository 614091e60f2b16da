-- Parametric modules over the prelude's numbers.
-- ==
-- entry: dots
-- input { [1f32, 2f32] [3f32, 4f32] [1i64, 2i64] [3i64, 4i64] } output { 11f32 11i64 }

-- ==
-- entry: abstract_type
-- input { 3i32 } output { 9i32 }

-- ==
-- entry: norms
-- input { [3f64, 4f64] } output { 5f64 }

module mk_dot (N: numeric) = {
  type t = N.t
  def dot [n] (xs: [n]t) (ys: [n]t) : t = N.sum (map2 (N.*) xs ys)
}

module dot32 = mk_dot f32
module dot64 = mk_dot i64

entry dots [n] (a: [n]f32) (b: [n]f32) (c: [n]i64) (d: [n]i64) = (dot32.dot a b, dot64.dot c d)

module counter : {
  type t
  val start : t
  val add : i32 -> t -> t
  val total : t -> i32
} = {
  type t = {sum: i32, n: i32}
  def start = {sum = 0i32, n = 0i32}
  def add (x: i32) (c: t) = {sum = c.sum + x, n = c.n + 1}
  def total (c: t) = c.sum * c.n
}

entry abstract_type (x: i32) = counter.start |> counter.add x |> counter.total |> (* x) |> (/ x) |> (* 3)

module norm (R: real) = {
  def norm2 [n] (xs: [n]R.t) : R.t = R.sqrt (R.sum (map (\x -> x R.* x) xs))
}
module norm64 = norm f64
entry norms (xs: []f64) = norm64.norm2 xs
