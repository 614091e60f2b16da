-- Types in module types whose sizes are values of submodules.

module type field = {
  val LIMBS : i64
  type t
  val zero : t
  val limbs : t -> [LIMBS]u64
}

module type curve = {
  module F : field
  type point = {x: F.t, ys: [F.LIMBS]u64}
  val g : u64 -> [F.LIMBS]u64
  val at : u64 -> point
}

module field_of (P: {val n : i64}) : field = {
  def LIMBS = P.n
  type t = [LIMBS]u64
  def zero : t = replicate LIMBS 0
  def limbs (x: t) = x
}

module curve_over (F: field) : curve = {
  module F = F
  type point = {x: F.t, ys: [F.LIMBS]u64}
  def g (x: u64) = replicate F.LIMBS x
  def at (x: u64) : point = {x = F.zero, ys = g x}
}

module sum (C: curve) = {
  def f (x: u64) = map2 (+) (C.F.limbs C.F.zero) (C.g x)
}

module four = curve_over (field_of {def n = 4i64})

module of_four = sum four

-- ==
-- entry: fixed
-- input { 3u64 } output { [3u64, 3, 3, 3] [0u64, 0, 0, 0] [5u64, 5, 5, 5] }

entry fixed (x: u64) =
  (of_four.f x, copy (four.F.limbs (four.at x).x), map2 (+) (four.at 2).ys (four.g x))

-- Two levels down, and a module that has a value of the same name itself.

module type group = {
  module F : {val LIMBS : i64}
  val LIMBS : i64
  val one : [F.LIMBS]u64
  val own : [LIMBS]u64
}

module type over_group = {
  module G : group
  val g : [G.F.LIMBS]u64 -> [G.LIMBS]u64 -> ([G.F.LIMBS]u64, [G.LIMBS]u64)
}

module grouped (G: group) : over_group = {
  module G = G
  def g (x: [G.F.LIMBS]u64) (y: [G.LIMBS]u64) = (map2 (+) x G.one, map2 (+) y G.own)
}

module two_and_three =
  grouped {
    module F = {def LIMBS = 2i64}
    def LIMBS = 3i64
    def one = replicate F.LIMBS 1u64
    def own = replicate LIMBS 2u64
  }

-- ==
-- entry: deep
-- input { 3u64 } output { [4u64, 4] [5u64, 5, 5] }

entry deep (x: u64) =
  two_and_three.g (replicate two_and_three.G.F.LIMBS x) (replicate two_and_three.G.LIMBS x)

-- Functions and records in sizes.

module type computed = {
  module M : {val double : i64 -> i64}
  val p : {n: i64}
  val g : (n: i64) -> [M.double n]i32
  val h : i32 -> [p.n]i32
}

module doubled : computed = {
  module M = {def double (n: i64) = 2 * n}
  def p = {n = 3i64}
  def g (n: i64) : [M.double n]i32 = replicate (M.double n) 1
  def h (x: i32) : [p.n]i32 = replicate p.n x
}

module user (C: computed) = {
  def main (n: i64) = (length (map2 (+) (C.g n) (replicate (C.M.double n) 2)), C.h 7)
}

module used = user doubled

-- ==
-- entry: functions
-- input { 3i64 } output { 6i64 [7, 7, 7] }

entry functions (n: i64) = used.main n
