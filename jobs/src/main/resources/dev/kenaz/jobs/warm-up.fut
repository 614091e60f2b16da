-- | A little of everything: what the launcher compiles once to record start-up data.

type point = {x: f64, y: f64}

type figure [n] = #disc f64 | #box point | #path ([n]f64)

module type number = {
  type t
  val add : t -> t -> t
  val zero : t
}

module sums (n: number) = {
  def total [k] (xs: [k]n.t) : n.t = reduce n.add n.zero xs
  def running [k] (xs: [k]n.t) : [k]n.t = scan n.add n.zero xs
}

module real_sums = sums {
  type t = f64
  def add (x: f64) y = x + y
  def zero = 0f64
}

def size [n] (f: figure [n]) : f64 =
  match f
  case #disc r -> f64.pi * r * r
  case #box {x, y} -> x * y
  case #path xs -> real_sums.total xs

def cost [n] (xs: [n]f64) : f64 = f64.sum (map (\x -> x * x + f64.exp (-x)) xs)

def count [n] (xs: [n]f64) : [4]i64 =
  reduce_by_index (replicate 4 0) (+) 0 (map (\x -> i64.f64 x % 4) xs) (map (const 1) xs)

def smooth [n] (steps: i32) (xs: [n]f64) : [n]f64 =
  loop ys = copy xs
  for _i < steps do
    if n > 2 then ys with [0] = (ys[0] + ys[1]) / 2 else ys

def find (limit: i32) : i32 =
  let (i, _) = loop (i, k) = (0, 1) while k < limit do (i + 1, k * 2)
  in i

entry main [n] (xs: [n]f64) : ([]f64, f64) =
  let all : [3](figure [n]) = [#disc 1, #box {x = 2, y = 3}, #path xs]
  let figures = map size all
  let gradient = vjp cost xs 1
  let picked = filter (> 0) (map2 (*) xs gradient)
  let grid = tabulate_2d 3 4 (\i j -> f64.i64 (i * j))
  let wide = transpose grid |> flatten
  let there = scatter (replicate 8 0) (map i64.i32 [1, 3, 9]) [1, 2, 3]
  let total =
    real_sums.total figures
    + f64.sum (real_sums.running xs)
    + f64.i64 (i64.sum (count xs))
    + f64.i32 (i32.sum there)
    + f64.i32 (find 100)
    + jvp cost xs xs
  in (picked ++ wide[1:5] ++ smooth 3 xs, if total > 1e9 then f64.nan else total)

entry make (x: f64) (y: f64) : point = {x, y}
entry shift [n] (xs: *[n]f64) (p: point) : *[n]f64 = xs with [0] = p.x
