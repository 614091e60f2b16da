-- Abstract types, seen through module types.
module type monoid = { type t val zero : t val add : t -> t -> t }
module sum (M: monoid) = { def sum [n] (xs: [n]M.t) : M.t = reduce M.add M.zero xs
  type pair = (M.t, M.t) def two : pair = (M.zero, M.zero) }
module i32_monoid = { type t = i32 def zero = 0i32 def add (x: t) (y: t) = x + y }
module s = sum i32_monoid
module opaque_m : monoid = i32_monoid
module so = sum opaque_m
def z = so.sum [opaque_m.zero, opaque_m.zero]
module type vec = { type~ vec 'a  val map 'a 'b : (a -> b) -> vec a -> vec b  val mk 'a : a -> vec a val size 'a : vec a -> i64 }
module any : vec = { type~ vec 'a = []a def map 'a 'b (f: a -> b) (xs: vec a) : vec b = map f xs def mk 'a (x: a) : vec a = [x] def size 'a (xs: vec a) = length xs }
type opt 'a = #some a | #none
def from_opt 'a (d: a) (o: opt a) = match o case #some x -> x case #none -> d
module type sized = { type t [n] val get [n] : t [n] -> i64 -> i32 val mk : (n: i64) -> t [n] }
module sz : sized = { type t [n] = [n]i32 def get [n] (x: t [n]) (i: i64) = x[i] def mk (n: i64) = replicate n 0i32 }
open s
def main (xs: []i32) : i32 = s.sum xs + sum xs + from_opt 0 (#some 3) + sz.get (sz.mk 3) 0 + i32.i64 (any.size (any.map (+1) (any.mk 3i32)))
module m2 = { module inner = { def x = 1i32 } open inner def y = x + inner.x }
def q = m2.y + m2.inner.x
