-- Modules as users write them.
module type monoid = { type t val op : t -> t -> t val zero : t }
module sum_i32 : monoid with t = i32 = { type t = i32 def op = (i32.+) def zero = 0i32 }
module max_f32 = { type t = f32 def op = f32.max def zero = f32.lowest }
module fold (M: monoid) = {
  def fold [n] (xs: [n]M.t) : M.t = reduce M.op M.zero xs
  def scanl [n] (xs: [n]M.t) = scan M.op M.zero xs
}
module fi = fold sum_i32
module ff = fold max_f32
-- ==
-- entry: a
-- input { [1,2,3] } output { 6i32 [1,3,6] }
entry a (xs: []i32) = (fi.fold xs, fi.scanl xs)
-- ==
-- entry: b
-- input { [1f32,3f32,2f32] } output { 3f32 }
entry b (xs: []f32) = ff.fold xs
module type vec = {
  type vec 't
  val map 'a 'b : (a -> b) -> vec a -> vec b
  val reduce 'a : (a -> a -> a) -> a -> vec a -> a
  val make 'a : i64 -> a -> vec a
}
module arr : vec = {
  type vec 't = [3]t
  def map = map
  def reduce = reduce
  def make 'a (_: i64) (x: a) = replicate 3 x
}
-- ==
-- entry: c
-- input { 2 } output { 9i32 }
entry c (x: i32) = arr.reduce (+) 0 (arr.map (+1) (arr.make 3 x))
module pair (A: {type t val x: t}) (B: {type t val y: t}) = { type t = (A.t, B.t) def v : t = (A.x, B.y) }
module p = pair {type t = i32 def x = 3i32} {type t = bool def y = true}
-- ==
-- entry: d
-- input { } output { 3i32 true }
entry d = p.v
module nested = { module inner = { module deep = { def f (x: i32) = x * 2 } open deep } }
-- ==
-- entry: e
-- input { 4 } output { 8i32 8i32 }
entry e (x: i32) = (nested.inner.deep.f x, nested.inner.f x)
-- ==
-- entry: f
-- input { 4 } output { 9i32 }
entry f (x: i32) = let y = nested.inner.(f x + 1) in y
open { def opened (x: i32) = x - 1 }
-- ==
-- entry: g
-- input { 4 } output { 3i32 }
entry g (x: i32) = opened x
module mk_counter (P: {val step : i64}) = { type t = {n: i64} def new : t = {n = 0} def next (c: t) : t = {n = c.n + P.step} def get (c: t) = c.n }
module c2 = mk_counter {def step = 2i64}
module c3 = mk_counter {def step = 3i64}
-- ==
-- entry: h
-- input { } output { 4i64 3i64 }
entry h = (c2.get (c2.next (c2.next c2.new)), c3.get (c3.next c3.new))
module lift (F: float) = { def hyp (x: F.t) (y: F.t) = F.(sqrt (x * x + y * y)) def two = F.i32 2 }
module l32 = lift f32
module l64 = lift f64
-- ==
-- entry: i
-- input { 3f32 4f64 } output { 5f32 5f64 2f64 }
entry i (x: f32) (y: f64) = (l32.hyp x 4, l64.hyp 3 y, l64.two)
module type has_f = { val f : i32 -> i32 }
module app (X: has_f) : has_f = { def f x = X.f (X.f x) }
module inc = { def f (x: i32) = x + 1 }
module inc4 = app (app inc)
-- ==
-- entry: j
-- input { 1 } output { 5i32 }
entry j (x: i32) = inc4.f x
module type rec_t = { type~ r val mk [n] : [n]i32 -> r val total : r -> i32 }
module rc : rec_t = { type~ r = {xs: []i32, k: i32} def mk [n] (xs: [n]i32) : r = {xs, k = 2} def total (r: r) = r.k * i32.sum r.xs }
-- ==
-- entry: k
-- input { [1,2,3] } output { 12i32 }
entry k (xs: []i32) = rc.total (rc.mk xs)
module ord_i32 = { type t = i32 def (<=) = (i32.<=) }
module sort (O: { type t val (<=) : t -> t -> bool }) = {
  def sort [n] (xs: [n]O.t) : [n]O.t =
    loop xs = copy xs for _i < n do
      let f i = if i + 1 < n && i % 2 == 0 then (if xs[i] O.<= xs[i+1] then xs[i] else xs[i+1]) else if i % 2 == 1 then (if xs[i-1] O.<= xs[i] then xs[i] else xs[i-1]) else xs[i]
      let xs = tabulate n f
      let g i = if i % 2 == 1 && i + 1 < n then (if xs[i] O.<= xs[i+1] then xs[i] else xs[i+1]) else if i % 2 == 0 && i > 0 then (if xs[i-1] O.<= xs[i] then xs[i] else xs[i-1]) else xs[i]
      in tabulate n g
}
module so = sort ord_i32
-- ==
-- entry: l
-- input { [3,1,2,5,4] } output { [1,2,3,4,5] }
entry l (xs: []i32) = so.sort xs
local module hidden = { def z = 1i32 }
-- ==
-- entry: m
-- input { } output { 1i32 }
entry m = hidden.z
module type sig2 = { include monoid val twice : t -> t }
module s2 : sig2 with t = f64 = { type t = f64 def op = (f64.*) def zero = 1f64 def twice (x: f64) = op x x }
-- ==
-- entry: n
-- input { 3f64 } output { 9f64 }
entry n (x: f64) = s2.twice x
module fn = \ (M: monoid) -> { def z = M.zero }
module fnz = fn sum_i32
-- ==
-- entry: o
-- input { } output { 0i32 }
entry o = fnz.z
module ap : { val r : i32 } = { local def q = 5i32 def r = q + 1 }
-- ==
-- entry: q
-- input { } output { 6i32 }
entry q = ap.r
