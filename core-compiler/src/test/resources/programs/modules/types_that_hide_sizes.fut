-- Types of modules that hide sizes, or take types that may.

module type encoding = {
  type t
  val encode : i32 -> t
  val length : t -> i64
  val join : t -> t -> t
}

module type symbol = {
  type t
  val of : i32 -> t
}

module encoded (S: symbol) : encoding with t = []S.t = {
  type~ t = ?[n].[n]S.t
  def encode (x: i32) : t = replicate (i64.i32 x) (S.of x)
  def length (x: t) = length x
  def join (x: t) (y: t) : t = x ++ y
}

module numbers = encoded {
  type t = i32
  def of (x: i32) = x
}

module plain : encoding with t = []i32 = {
  type~ t = ?[n].[n]i32
  def encode (x: i32) : t = replicate (i64.i32 x) x
  def length (x: t) = length x
  def join (x: t) (y: t) : t = y ++ x
}

-- ==
-- entry: refined
-- input { 3 } output { 5i64 [1, 2, 3, 3, 3] 3i64 }

entry refined (x: i32) =
  ( numbers.length (numbers.join (numbers.encode x) (numbers.encode 2))
  , plain.join (plain.encode x) [1, 2]
  , length (numbers.encode x) )

-- Types with parameters, made known by `with`.

module type wrapper = {
  type^ t '^a
  val wrap '^a : a -> t a
  val unwrap '^a : t a -> a
}

module tagged : wrapper with t '^a = (a, i32) = {
  type^ t '^a = (a, i32)
  def wrap '^a (x: a) : t a = (x, 1)
  def unwrap '^a (x: a, _: i32) = x
}

module state (W: wrapper with t '^a = (i32 -> (a, i32))) = {
  def run (x: i32) = (W.wrap x) 4
}

module stated = state {
  type^ t '^a = i32 -> (a, i32)
  def wrap '^a (x: a) : t a = \s -> (x, s)
  def unwrap '^a (x: t a) : a = (x 0).0
}

-- ==
-- entry: parametric
-- input { 3 } output { 4 3i64 3 4 }

entry parametric (k: i32) =
  let (a, b) = stated.run k
  in ((tagged.unwrap (tagged.wrap (+ 1))) k, length (tagged.wrap (filter (> 0) [1, 2, k])).0, a, b)

-- A module's parameter whose type may hide sizes.

module type growing = {
  type~ t
  val grow : t -> t
  val size : t -> i64
}

module grown (G: growing) = {
  type~ two = (G.t, G.t)
  def both (x: G.t) : two = (x, G.grow x)
  def sizes (x: two) = (G.size x.0, G.size x.1)
  def choose (b: bool) (x: G.t) : G.t = if b then x else G.grow x
  def repeat (n: i32) (x: G.t) : G.t = loop y = x for _i < n do G.grow y
}

module arrays = grown {
  type~ t = []i32
  def grow (x: t) : t = x ++ [1]
  def size (x: t) = length x
}

module scalars = grown {
  type t = i32
  def grow (x: t) : t = x + 1
  def size (x: t) = i64.i32 x
}

-- ==
-- entry: parameters
-- input { 3 } output { 2i64 3i64 [5, 3, 1] [3, 1, 1, 1] 3i64 4i64 6 }

entry parameters (k: i32) =
  let (a, b) = arrays.sizes (arrays.both [k, k])
  let (c, d) = scalars.sizes (scalars.both k)
  in (a, b, arrays.choose false [5, 3], arrays.repeat k [k], c, d, scalars.repeat k k)
