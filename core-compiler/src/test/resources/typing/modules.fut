-- Parametric modules, module types and what they hide.
module type field = { type t val (+) : t -> t -> t val (*) : t -> t -> t val zero : t val from : i32 -> t }
module f32_field = { type t = f32 def (+) (a: t) (b: t) = a f32.+ b def (*) (a: t) b = a f32.* b def zero = 0f32 def from = f32.i32 }
module dot (F: field) = {
  type t = F.t
  def dot [n] (xs: [n]t) (ys: [n]t) : t = reduce (F.+) F.zero (map2 (F.*) xs ys)
}
module d32 : { type t val dot [n] : [n]t -> [n]t -> t } with t = f32 = dot f32_field
module type matrix = { type elem type mat [n][m] val mk [n][m] : [n][m]elem -> mat [n][m] val un [n][m] : mat [n][m] -> [n][m]elem val mul [n][m][p] : mat [n][m] -> mat [m][p] -> mat [n][p] }
module mk_matrix (F: field) : matrix with elem = F.t = {
  type elem = F.t
  type mat [n][m] = [n][m]elem
  module d = dot F
  def mk [n][m] (x: [n][m]elem) : mat [n][m] = x
  def un [n][m] (x: mat [n][m]) : [n][m]elem = x
  def mul [n][m][p] (a: mat [n][m]) (b: mat [m][p]) : mat [n][p] = map (\r -> map (d.dot r) (transpose b)) a
}
module m32 = mk_matrix f32_field
entry mm (a: [][]f32) (b: [][]f32) = let m = length b in m32.un (m32.mul (m32.mk (a :> [][m]f32)) (m32.mk (b :> [m][]f32)))
module type F = (X: field) -> { val sq : X.t -> X.t }
module sqf (X: field) = { def sq (x: X.t) = X.(x * x) }
module ap (G: (X: field) -> { val sq : X.t -> X.t }) = { module r = G f32_field def y = r.sq 3f32 }
module apsq = ap sqf
def ay = apsq.y
module lam = \(X: field) -> { def two = X.(from 2 + zero) }
module lam32 = lam f32_field
def t2 : f32 = lam32.two
module type with_inc = { include field val neg : t -> t }
module inc : with_inc with t = i32 = { type t = i32 def (+) = (i32.+) def (*) = (i32.*) def zero = 0i32 def from (x: i32) = x def neg = i32.neg }
def useinc = inc.(zero + from 3 * neg 2)
module pair (A: {type t}) (B: {type t}) = { type t = (A.t, B.t) def fst (x: t) : A.t = x.0 }
module p = pair {type t = i32} {type t = f32}
def pf = p.fst (1, 2)
module poly : { type p 'a val mk 'a : a -> p a val get 'a : p a -> a } = { type p 'a = (a, i32) def mk 'a (x: a) : p a = (x, 0) def get 'a (x: p a) = x.0 }
def pg = poly.get (poly.mk true)
def pm = map poly.get (map poly.mk [1i32, 2])
open poly
def pg2 = get (mk 2f32)
local def hidden = 1i32
module sized : { type s [n] val mk : (n: i64) -> s [n] val len [n] : s [n] -> i64 } = { type s [n] = [n]() def mk n = replicate n () def len [n] (_: s [n]) = n }
def sl = sized.len (sized.mk 10)
entry main = map (+ 1i32)
entry e2 = i32.sum
entry e3 (x: i32) = let f = (+ x) in f 2
module nested = { module a = { def x = 1i32 module b = { def y = x } } def z = a.b.y }
def nz = nested.a.b.y + nested.z
module type has_mod = { module inner : field val x : inner.t }
module hm : has_mod with inner.t = f32 = { module inner = f32_field def x = 1f32 }
def hmx = hm.inner.(hm.x + hm.x)
def idf 'a (x: a) = x
def rank2 = (idf 1i32, idf true)
def lp = let f 'a (x: a) : (a, a) = (x, x) in (f 1i32, f [1i32])
type option 'a = #none | #some a
def mapopt 'a 'b (f: a -> b) (x: option a) : option b = match x case #none -> #none case #some y -> #some (f y)
def optor 'a (x: option a) (d: a) = match x case #some y -> y case _ -> d
def usopt = optor (mapopt (+1) (#some 1i32)) 0
type tree = #leaf | #node {l: i32, r: i32, v: [2]f32}
def tv (t: tree) = match t case #node {l = 0, r, v} -> v[0] + f32.i32 r case #node n -> n.v[1] case #leaf -> 0
def arrsum (xs: []option i32) = i32.sum (map (\x -> match x case #some y -> y case #none -> 0) xs)
def existmod (n: i64) : [n]option i64 = map (\i -> if i % 2 == 0 then #some i else #none) (iota n)
def f16s (x: f16) = f16.sqrt x + 1.5
def condsz (b: bool) (xs: []i32) = let ys = if b then xs else map (+1) xs in zip xs ys
def nestedloop [n] (a: *[n][n]f32) = loop a for i < n do loop a for j < n do a with [i, j] = a[j, i] + 1
def whl (x: f32) = (loop (x, i) = (x, 0i32) while x > 1 && i < 10 do (x / 2, i + 1)).1
def lettype : i32 = let (x: i32, y: f32) = (1, 2) in x + i32.f32 y
def unit () = 5i32
def uu = unit ()
def curry2 = let add a b = a + b : i32 in map (add 1) [1,2]
def big = [[[1i32,2],[3,4]]]
def infixlam = (\x y -> x * y) 2i32 3
def sizedlam = (\(xs: [3]i32) -> xs[0]) [1,2,3]
def seqs [n] (xs: [n]i32) = #[unroll] loop acc = 0 for i < n do acc + #[unsafe] xs[i]
def tup3 = let t = (1i32, (2i32, 3f32)) in t.1.1
def fstr = map (\c -> c - 'a') "hello"
def mult [n] (xs: [n]i32) : [n*2]i32 = xs ++ xs :> [n*2]i32
def tkk [n] (k: i64) (xs: [n]i32) : [k]i32 = take k xs
def chunks [n] (m: i64) (xs: [n]i32) = unflatten (xs :> [m*(n/m)]i32)
def outerp = map (\i -> map (\j -> i*j) (iota 3)) (iota 2)
def ex1 = filter (\x -> x > 0i32) [1,2]
def ex2 = length ex1 + length ex1
def ex3 = zip ex1 ex1
