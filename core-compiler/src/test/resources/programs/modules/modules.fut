-- Modules, module types and parametric modules.
-- ==
-- entry: qualified
-- input { 3i32 } output { 6i32 }

-- ==
-- entry: parametric
-- input { [1i32, 2i32] [1f64, 2f64] } output { 3i32 3f64 }

-- ==
-- entry: opened
-- input { 3i32 } output { 9i32 }

module doubling = {
  def factor : i32 = 2
  def double (x: i32) = factor * x
}

entry qualified (x: i32) = doubling.double x

module type monoid = {
  type t
  val zero : t
  val plus : t -> t -> t
}

module summing (M: monoid) = {
  def total (xs: []M.t) : M.t = reduce M.plus M.zero xs
}

module ints = summing {type t = i32 def zero = 0i32 def plus (x: i32) (y: i32) = x + y}
module floats = summing {type t = f64 def zero = 0f64 def plus (x: f64) (y: f64) = x + y}

entry parametric (xs: []i32) (ys: []f64) = (ints.total xs, floats.total ys)

module squares = {
  def square (x: i32) = x * x
}

open squares

entry opened (x: i32) = square x
