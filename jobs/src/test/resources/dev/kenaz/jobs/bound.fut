-- | Points and lines, & more: */ {@code x} \u0041.

type point = {x: f64, y: f64}
type line = {slope: f64, offset: f64}
type shape = #circle f64 | #square f64

module m = { type t = {class: i32, ok': bool} }

-- | The cost of a line <b>.
--
-- It is `sum`med over all points; see @foo and C:\users */ {.
entry cost [n] (l: line) (points: [n]point): f64 =
  f64.sum (map (\p -> (l.slope * p.x + l.offset - p.y) ** 2) points)

entry bounds [n] (xs: [n]f64): (f64, (f64, i64)) = (f64.minimum xs, (f64.maximum xs, n))
entry new (x: u8) (java: u32) (_: bool) : u64 = u64.u8 x + u64.u32 java
entry make (r: f64): shape = #circle r
entry area (s: shape): f64 = match s case #circle r -> r * r case #square a -> a * a
entry shapes (n: i64): []shape = map (\i -> #square (f64.i64 i)) (iota n)
entry areas [n] (ss: [n]shape): [n]f64 = map area ss
entry t (x: m.t): m.t = x with class = x.class + 1
entry unit (_: ()): () = ()
entry constant : [2][2]i16 = [[1, 2], [3, 4]]
entry halves [n] (x: [n]f16) (y: f16): ([n]f16, f16) = (map (* y) x, y)
entry close (s: i64): i64 = s + 1
entry anonymous (r: {a: i32, b: [2]bool}): {a: i32, c: []u8} = {a = r.a, c = map u8.bool r.b}
entry bytes [n] (s: [n]u8): [n]u8 = reverse s
entry grid [n][m] (g: [n][m]point): [m][n]point = transpose g
type clash = {a': i32, a_: i32, b: i32, class: bool}
entry clash (c: clash) (x: i32): clash = c with a_ = x
type segment = {from: point, to: point}
type triangle = {from: point, to: {x: f64, y: f64}}
entry ends (s: segment): []point = [s.from, s.to]
entry corners (t: triangle): {x: f64, y: f64} = {x = t.from.x + t.to.x, y = t.from.y + t.to.y}
entry middle (p: point): point = {x = p.x / 2, y = p.y / 2}
type string = {x: f64}
type object = {x: f64}
entry record (s: string): object = {x = 2 * s.x}
