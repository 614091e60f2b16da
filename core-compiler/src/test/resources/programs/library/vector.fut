-- The floating-point components of values of many types as a vector, and back. For each type: the
-- components; whether the value comes back; whether another vector comes back, but for the places
-- that the constructors don't need, which `need` has as 0.

import "kenaz/vector"

def laws 'm [p] (eq: m -> m -> bool) (m: m) (need: [p]f64) : ([]f64, bool, bool, bool) =
  let v = pack_f64 m
  let other = map (\i -> 1 + f64.i64 i / 8) (iota p)
  let back = pack_f64 (unpack_f64 m other)
  let single = pack_f32 m
  in ( v
     , eq m (unpack_f64 m v)
     , and (map2 (==) (map2 (*) need other) (back :> [p]f64))
       && length v == p
       && length (pack_f64 (unpack_f64 m back)) == p
     , eq m (unpack_f32 m single) && and (map2 (==) (v :> [p]f64) (map f64.f32 single :> [p]f64))
     )

def all n = replicate n 1f64

-- ==
-- entry: numbers arrays records tuples elements nothing
-- input { 3i64 } output { true }

def right [n] (wanted: [n]f64) (v: []f64, a: bool, b: bool, c: bool) = length v == n && and (map2 (==) wanted (v :> [n]f64)) && a && b && c

entry numbers (_n: i64) =
  right [2] (laws (==) 2f64 (all 1)) && right [3] (laws (==) 3f32 (all 1)) && right [4] (laws (==) 4f16 (all 1))

entry arrays (n: i64) =
  right [1, 2, 3] (laws (==) (map f64.i64 (1...n)) (all 3))
  && right [0, 1, 2, 3, 4, 5] (laws (==) (tabulate_2d 2 n (\i j -> f32.i64 (i * n + j))) (all 6))
  && right [0, 0, 0, 0, 1, 2, 0, 2, 4] (laws (==) (tabulate_3d 1 n 3 (\_ j k -> f16.i64 (j * k))) (all 9))
  && right [] (laws (==) (replicate (n - 3) (replicate 3 1f64)) (all 0))
  && right [] (laws (==) (replicate n ([] : [0]f32)) (all 0))

-- Fields are in the order of the alphabet.
entry records (n: i64) =
  right [1, 5, 5, 5, 2, 3]
        (laws (==) { k = n, z = 3f64, a = 1f32, inner = { y = 2f16, x = replicate n 5f64 }, yes = true } (all 6))

-- Parts of tuples are in order, also where there are more than ten.
entry tuples (n: i64) =
  right [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
        (laws (==) (0f64, 1f64, 2f32, 3f64, 4f64, 5f64, (6f64, n, 7f64), 8f64, 9f64, true, 10f16, 11f64) (all 12))

-- An array of records is a record of arrays.
entry elements (n: i64) =
  right [1, 1, 1, 1, 1, 1, 0, 1, 2]
        (laws (==) (map (\i -> { y = f32.i64 i, k = i, w = [1f64, 1] }) (iota n)) (all 9))
  && right [0, 1, 2, 3, 0, 0, 6, 6, 3, 3, 9, 9]
           (laws (==)
                 (map (\i ->
                         ( i
                         , map (\j ->
                                  let c: #a | #b = if i == j then #a else #b
                                  in (f64.i64 (2 * i + j), replicate 2 (f32.i64 (3 * i + 6 * j)), c))
                               (iota 2)
                         ))
                      (iota 2))
                 (all 12))
  && right [] (laws (==) (map (\i -> ((), i)) (iota n)) (all 0))

entry nothing (n: i64) =
  right [] (laws (==) () (all 0)) && right [] (laws (==) n (all 0)) && right [] (laws (==) (replicate n true) (all 0))

-- Sums: places are shared by numbers of one type, but not by arrays.
-- ==
-- entry: scalars payloads several inside
-- input { 3i64 } output { true }

type s = #a f64 f32 | #b f64 f64 i32 | #c | #d (f64, bool)

entry scalars (_n: i64) =
  right [1, 2, 0] (laws (==) (#a 1 2 : s) [1, 1, 0])
  && right [3, 0, 4] (laws (==) (#b 3 4 5 : s) [1, 0, 1])
  && right [0, 0, 0] (laws (==) (#c : s) [0, 0, 0])
  && right [7, 0, 0] (laws (==) (#d (7, true) : s) [1, 0, 0])

type t [n] = #none | #some ([n]f64) | #two ([n]f32) f64

entry payloads (n: i64) =
  right [0, 0, 0, 0, 0, 0, 0] (laws (==) (#none : t [n]) (replicate 7 0))
  && right [2, 2, 2, 0, 0, 0, 0] (laws (==) (#some (replicate n 2) : t [n]) ([1, 1, 1, 0, 0, 0, 0]))
  && right [0, 0, 0, 1, 1, 1, 9] (laws (==) (#two (replicate n 1) 9 : t [n]) ([0, 0, 0, 1, 1, 1, 1]))

entry several (n: i64) =
  let of (i: i64) : t [n] = match i case 0 -> #none case 1 -> #some (replicate n 2) case _ -> #two (replicate n 1) 9
  in right [0, 0, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 9]
           (laws (==) (map of (iota n)) ([0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1]))

-- Sums in sums, and arrays of sums in sums.
type u = #x (#y f64 | #z f32 f64) f64 | #w (i32, [2](#on f32 | #off))

entry inside (_n: i64) =
  right [0, 0, 1, 0, 2] (laws (==) (#x (#y 1) 2 : u) [0, 0, 1, 0, 1])
  && right [0, 0, 3, 1, 2] (laws (==) (#x (#z 1 3) 2 : u) [0, 0, 1, 1, 1])
  && right [5, 0, 0, 0, 0] (laws (==) (#w (1, [#on 5, #off]) : u) [1, 0, 0, 0, 0])
  && right [0, 0, 0, 0, 0, 5, 0, 1, 0, 0, 0, 0, 0, 2, 0]
           (laws (==) [(#w (1, [#off, #off]) : u), #x (#y 1) 2, #w (1, [#off, #on 5])]
                      [0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0])

-- What is no component is that of the other value, and sizes that values decide are too.
-- ==
-- entry: kept
-- input { [1f64, -2f64, 3f64] } output { [8f64, 9f64] [0i64, 2i64] 7f32 }
-- input { [-1f64] } error: a vector of 3 elements for a value with 1 floating-point components

entry kept (xs: []f64) =
  let (ys, is) = unzip (filter ((> 0) <-< (.0)) (zip xs (indices xs)))
  let m = unpack_f64 { ys, is, z = 1f32 } [8, 9, 7]
  in (m.ys, m.is, m.z)

-- Numbers are rounded to the type of the vector, and from there to their own.
-- ==
-- entry: rounded
-- input { 16777217f64 } output { 16777216f64 0.333251953125f32 65536f64 }

entry rounded (x: f64) =
  let m = unpack_f32 (x, 1f16) [f32.f64 x, 1 / 3]
  in (m.0, f32.f16 m.1, (unpack_f64 x [65536]))

-- The vector is not what the value holds: each may be updated.
-- ==
-- entry: updated
-- input { [1f64, 2f64] } output { [1f64, 2f64] [9f64, 2f64] [1f64, 8f64] }

entry updated (xs: [2]f64) =
  let v = pack_f64 xs with [0] = 9
  let m = copy (unpack_f64 xs (pack_f64 xs)) with [1] = 8
  in (xs, v, m)

-- An abstract type is what it stands for; the functions are values like others.
-- ==
-- entry: hidden
-- input { 4f32 } output { [4f32, 5f32] 5f32 }

module m : { type t val of : f32 -> t val sum : t -> f32 } = {
  type t = { x: f32, k: i64, y: f32 }
  def of (x: f32) : t = { x, k = 2, y = x + 1 }
  def sum (m: t) : f32 = m.x + m.y - f32.i64 m.k * 2
}

def both 'm (f: m -> ?[p].[p]f32) (m: m) =
  let v = f m
  in (v, unpack_f32 m v)

entry hidden (x: f32) =
  let (v, y) = both pack_f32 (m.of x)
  in (v, m.sum y)

-- In a map, each value has a vector; sizes are the same for all.
-- ==
-- entry: mapped
-- input { [[1f32, 2f32], [3f32, 4f32]] } output { [[3f32, 1f32, 2f32], [7f32, 3f32, 4f32]] [9f32, 17f32] }

entry mapped [n] [d] (xss: [n][d]f32) =
  let p = d + 1
  let vs = map (\xs -> pack_f32 { xs, sum = f32.sum xs } :> [p]f32) xss
  in ( vs
     , map2 (\xs v -> let m = unpack_f32 { xs, sum = 0f32 } (map (+ 1) v) in f32.sum m.xs + m.sum) xss vs )

-- A type that hides a size.
-- ==
-- entry: hidden_size
-- input { [1f64, -2f64, 3f64] } output { [2f64, 4f64] 2f32 }

type~ model = ?[n].{ w: [n]f64, b: f32 }

def up (m: model) : model = unpack_f64 m (map (+ 1) (pack_f64 m))

entry hidden_size (xs: []f64) =
  let m = up { w = filter (> 0) xs, b = 1f32 }
  in (m.w, m.b)

-- Nothing, and arrays of nothing.
-- ==
-- entry: empties
-- input { 0i64 } output { empty([0]f32) empty([0][3]f32) empty([0]f64) }
-- input { 1i64 } output { [1f32, 1f32, 1f32, 2f32, 2f32, 2f32] [[1f32, 1f32, 1f32]] empty([0]f64) }

entry empties (n: i64) =
  let m = (replicate n (replicate 3 (1f32, [2f64])), [] : [0]f64, (), replicate 0 (replicate n 1f16))
  in (pack_f32 m, unpack_f32 m (pack_f32 m) |> (.0) |> map (map (.0)), pack_f64 ())

-- Sizes that a branch decides, and a loop.
-- ==
-- entry: branch loops
-- input { true [1f64, -1f64] } output { [1f64, -1f64, 1f64] }
-- input { false [1f64, -1f64] } output { [1f64, 2f64] }

entry branch (b: bool) (xs: []f64) =
  let m = if b then (xs, 1f64) else (filter (> 0) xs, 2)
  in pack_f64 m

entry loops [n] (b: bool) (xs: [n]f64) =
  let (ys, z, k) =
    loop m = (xs, 0f32, 0i32) for i < 3i32 do
      let (a, b, c) = unpack_f32 m (map (+ 1) (pack_f32 m))
      in (a, b, c + i)
  in map (\y -> y - f64.f32 z) (if b then ys ++ [f64.i32 k + 1] else filter (> 3) ys ++ [f64.i32 k + 2])

-- The vector must fit wherever it is taken apart, and nowhere else.
-- ==
-- entry: fits
-- input { [1f64] [1f64, 2f64] 3i64 } output { [2f64, 2f64, 2f64] }
-- input { [1f64] [1f64] 0i64 } output { empty([0]f64) }
-- input { [1f64] [1f64] 3i64 } error: a vector of 1 elements for a value with 2 floating-point components

entry fits (xs: []f64) (v: []f64) (n: i64) =
  map (\i -> let m = (xs, f64.i64 i) in (unpack_f64 m v).1) (iota n)
