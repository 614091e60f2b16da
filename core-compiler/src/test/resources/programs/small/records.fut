-- ==
-- entry: centroid
-- input { [1.0, 3.0] [2.0, 6.0] } output { 2.0 4.0 }
-- ==
-- entry: update
-- input { 1 } output { 11 2 }
-- ==
-- entry: nested
-- input { 3 } output { 3 6 9 }
type vec = {x: f64, y: f64}
def add (a: vec) (b: vec) : vec = {x = a.x + b.x, y = a.y + b.y}
def scale (s: f64) (a: vec) = a with x = a.x * s with y = a.y * s
entry centroid [n] (xs: [n]f64) (ys: [n]f64) : (f64, f64) =
  let vs = map2 (\x y -> {x, y}) xs ys
  let {x, y} = scale (1 / f64.i64 n) (reduce add {x = 0, y = 0} vs)
  in (x, y)
entry update (x: i32) =
  let r = {a = {b = x, c = 2}, d = 5}
  let r' = r with a.b = r.a.b + 10
  in (r'.a.b, r'.a.c)
entry nested (x: i32) =
  let t = (x, (x * 2, {z = x * 3}))
  in (t.0, t.1.0, t.1.1.z)
