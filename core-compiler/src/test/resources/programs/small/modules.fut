-- ==
-- entry: ints floats
-- input { 3 } output { 9 }
-- ==
-- entry: stacked
-- input { [1,2,3] } output { 3 2i64 }
module type monoid = { type t val neutral: t val op: t -> t -> t }
module type folded = { type e val fold [n]: [n]e -> e }
module mk_fold (M: monoid) : folded with e = M.t = {
  type e = M.t
  def fold [n] (xs: [n]e) = reduce M.op M.neutral xs
}
module add_i32 = { type t = i32 def neutral = 0i32 def op (x: i32) y = x + y }
module add_f64 = { type t = f64 def neutral = 0f64 def op (x: f64) y = x + y }
module fi = mk_fold add_i32
module ff = mk_fold add_f64
entry ints (x: i32) = fi.fold [x, x, x]
entry floats (x: i32) = i32.f64 (ff.fold (replicate 3 (f64.i32 x)))
module stack : { type~ t 'a val push 'a: a -> t a -> t a val top 'a: t a -> a val empty 'a: a -> t a val size 'a: t a -> i64 } = {
  type~ t 'a = []a
  def push 'a (x: a) (s: t a) : t a = [x] ++ s
  def top 'a (s: t a) : a = s[0]
  def empty 'a (x: a) : t a = [x]
  def size 'a (s: t a) : i64 = length s
}
entry stacked (xs: []i32) : (i32, i64) =
  let s = stack.push xs[2] (stack.empty xs[1]) in (stack.top s, stack.size s)
