-- Pictures and physics.
-- ==
-- entry: julia
-- input { 6i64 4i64 20i32 } auto output
-- ==
-- entry: ray
-- input { 8i64 6i64 } auto output
-- ==
-- entry: blur
-- input { [[0f32,0f32,0f32],[0f32,9f32,0f32],[0f32,0f32,0f32]] } output { [[1f32,1f32,1f32],[1f32,1f32,1f32],[1f32,1f32,1f32]] }
-- ==
-- entry: equalise
-- input { [[52u8,55u8,61u8],[59u8,79u8,61u8]] } auto output
-- ==
-- entry: sobel
-- input { [[1,2,3,4],[5,6,7,8],[9,10,11,12]] } auto output
-- ==
-- entry: nbody
-- input { 5i64 10i32 } auto output
-- ==
-- entry: hsv
-- input { 1f32 0.5f32 0.25f32 } output { 20f32 0.75f32 1f32 }
-- ==
-- entry: game
-- input { 8i64 5i32 } auto output
-- ==
-- entry: wave
-- input { 16i64 12i32 } auto output
-- ==
-- entry: bresenham
-- input { 0i64 0i64 5i64 2i64 } output { [[0i64,0i64],[1i64,0i64],[2i64,1i64],[3i64,1i64],[4i64,2i64],[5i64,2i64]] }
-- ==
-- entry: convex
-- input { [[0f64,0f64],[1f64,1f64],[2f64,0f64],[2f64,2f64],[0f64,2f64],[1f64,0.5f64]] } output { 4i64 4f64 }
-- ==
-- entry: kmeans1d
-- input { [1f64,2f64,10f64,11f64,12f64] [0f64,20f64] 5i32 } output { [1.5f64,11f64] }
-- ==
-- entry: rule110
-- input { 10i64 4i32 } auto output
-- ==
-- entry: flame
-- input { 100i64 } auto output

module complex = {
  type complex = {re: f64, im: f64}
  def mk re im : complex = {re, im}
  def (+) (a: complex) (b: complex) = mk (a.re f64.+ b.re) (a.im f64.+ b.im)
  def (*) (a: complex) (b: complex) = mk (a.re f64.* b.re - a.im f64.* b.im) (a.re f64.* b.im f64.+ a.im f64.* b.re)
}

def mag2 (a: complex.complex) = a.re * a.re + a.im * a.im

entry julia (w: i64) (h: i64) (limit: i32) : [h][w]i32 =
  let c = complex.mk (-0.8) 0.156
  let at i j =
    let z = complex.mk (3 * f64.i64 j / f64.i64 w - 1.5) (2 * f64.i64 i / f64.i64 h - 1)
    in (loop (z, k) = (z, 0) while k < limit && mag2 z < 4 do (complex.(z * z + c), k + 1)).1
  in tabulate_2d h w at

type vec = {x: f32, y: f32, z: f32}
def dot (a: vec) (b: vec) = a.x * b.x + a.y * b.y + a.z * b.z
def scale (k: f32) (a: vec) : vec = {x = k * a.x, y = k * a.y, z = k * a.z}
def add (a: vec) (b: vec) : vec = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def sub a b = add a (scale (-1) b)
def norm a = scale (1 / f32.sqrt (dot a a)) a
type sphere = {centre: vec, radius: f32, colour: f32}
type hit = #hit {t: f32, s: sphere} | #miss

entry ray (w: i64) (h: i64) : [h][w]f32 =
  let spheres = [{centre = {x = 0, y = 0, z = 5}, radius = 1, colour = 0.9},
                 {centre = {x = 1.5, y = 0.5, z = 4}, radius = 0.5, colour = 0.5},
                 {centre = {x = 0, y = -101, z = 5}, radius = 100, colour = 0.3}] : [3]sphere
  let intersect (o: vec) (d: vec) (s: sphere) : hit =
    let oc = sub o s.centre
    let b = dot oc d
    let c = dot oc oc - s.radius * s.radius
    let disc = b * b - c
    in if disc < 0 then #miss
       else let t = -b - f32.sqrt disc in if t > 1e-3 then #hit {t, s} else #miss
  let closer (a: hit) (b: hit) : hit =
    match (a, b)
    case (#hit x, #hit y) -> if x.t < y.t then a else b
    case (#miss, _) -> b
    case (_, #miss) -> a
  let light = norm {x = -1, y = 1, z = -1}
  let trace i j =
    let d = norm {x = (f32.i64 j + 0.5) / f32.i64 w * 2 - 1, y = 1 - (f32.i64 i + 0.5) / f32.i64 h * 2, z = 1}
    in match reduce closer #miss (map (intersect {x = 0, y = 0, z = 0} d) spheres)
       case #miss -> 0
       case #hit {t, s} ->
         let p = scale t d
         let n = norm (sub p s.centre)
         let shadow = any (\s -> match intersect p light s case #hit _ -> true case #miss -> false) spheres
         in s.colour * (0.1 + (if shadow then 0 else f32.max 0 (dot n light)))
  in tabulate_2d h w trace

entry blur [n] [m] (img: [n][m]f32) : [n][m]f32 =
  let at i j = if i < 0 || i >= n || j < 0 || j >= m then 0 else img[i, j]
  in tabulate_2d n m (\i j ->
       f32.sum (map (\di -> f32.sum (map (\dj -> at (i + di) (j + dj)) [-1, 0, 1])) [-1, 0, 1]) / 9)

entry equalise [n] [m] (img: [n][m]u8) : [n][m]u8 =
  let flat = flatten img
  let h = hist (+) 0i64 256 (map i64.u8 flat) (map (const 1) flat)
  let cdf = scan (+) 0 h
  let low = i64.minimum (filter (> 0) cdf)
  let f x = u8.f32 (f32.round (f32.i64 (cdf[i64.u8 x] - low) / f32.i64 (n * m - low) * 255))
  in map (map f) img

entry sobel [n] [m] (img: [n][m]i32) =
  let kx = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
  let conv (k: [3][3]i32) = tabulate_2d (n - 2) (m - 2) (\i j ->
    i32.sum (flatten (map2 (map2 (*)) k (map (\r -> sized 3 r[j:j + 3]) img[i:i + 3] :> [3][3]i32))))
  in (conv kx, conv (transpose kx))

entry nbody (n: i64) (steps: i32) =
  let start i = let f = f64.i64 i in {p = (f, f * f, 1 / (1 + f)), v = (0, 0, 0), m = 1 + f}
  let bodies = map start (iota n)
  let step (bs: [n]{p: (f64, f64, f64), v: (f64, f64, f64), m: f64}) =
    let force a b =
      let (ax, ay, az) = a.p
      let (bx, by, bz) = b.p
      let (dx, dy, dz) = (bx - ax, by - ay, bz - az)
      let r2 = dx * dx + dy * dy + dz * dz + 0.1
      let k = b.m / (r2 * f64.sqrt r2)
      in (k * dx, k * dy, k * dz)
    let sum3 (a, b, c) (d, e, f) = (a + d, b + e, c + f)
    let acc b = reduce sum3 (0, 0, 0) (map (force b) bs)
    in map (\b -> let (x, y, z) = acc b
                  let (vx, vy, vz) = b.v
                  let v = (vx + 0.01 * x, vy + 0.01 * y, vz + 0.01 * z)
                  let (px, py, pz) = b.p
                  in b with v = v with p = (px + 0.01 * v.0, py + 0.01 * v.1, pz + 0.01 * v.2)) bs
  let final = iterate steps step bodies
  in map (\b -> b.p.0 + b.p.1 + b.p.2) final

entry hsv (r: f32) (g: f32) (b: f32) =
  let mx = f32.max r (f32.max g b)
  let mn = f32.min r (f32.min g b)
  let d = mx - mn
  let h = if d == 0 then 0 else if mx == r then 60 * (((g - b) / d) % 6) else if mx == g then 60 * ((b - r) / d + 2) else 60 * ((r - g) / d + 4)
  in (h, if mx == 0 then 0 else d / mx, mx)

entry game (n: i64) (steps: i32) : [n][n]bool =
  let start = tabulate_2d n n (\i j -> (i * 7 + j * 3 + i * j) % 3 == 0)
  let step (g: [n][n]bool) =
    let count i j = i32.sum (map (\(a, b) -> i32.bool g[(i + a) % n, (j + b) % n])
                                 [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)])
    in tabulate_2d n n (\i j -> let c = count i j in c == 3 || (c == 2 && g[i, j]))
  in loop g = start for _i < steps do step g

entry wave (n: i64) (steps: i32) : [n]f32 =
  let u0 = map (\i -> f32.exp (-0.1 * (f32.i64 i - 8) ** 2)) (iota n)
  let (_, u) = loop (prev, cur) = (u0, u0) for _t < steps do
    let lap = map3 (\l c r -> l - 2 * c + r) (rotate (-1) cur) cur (rotate 1 cur)
    in (cur, map3 (\p c l -> 2 * c - p + 0.25 * l) prev cur lap)
  in u

entry bresenham (x0: i64) (y0: i64) (x1: i64) (y1: i64) : [][2]i64 =
  let dx = x1 - x0
  let dy = y1 - y0
  let n = i64.max (i64.abs dx) (i64.abs dy)
  in map (\i -> [x0 + (2 * i * dx + n) / (2 * n), y0 + (2 * i * dy + n) / (2 * n)]) (0...n)

entry convex [n] (ps: [n][2]f64) =
  let cross (o: [2]f64) (a: [2]f64) (b: [2]f64) = (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
  let start = reduce (\i j -> if ps[i, 0] < ps[j, 0] || (ps[i, 0] == ps[j, 0] && ps[i, 1] < ps[j, 1]) then i else j) 0 (iota n)
  let (hull, k, _, _) =
    loop (hull, k, cur, go) = (replicate n 0i64, 0i64, start, true) while go && k < n do
      let hull = hull with [k] = cur
      let next = loop next = (cur + 1) % n for j < n do
        if cross ps[cur] ps[next] ps[j] < 0 then j else next
      in (hull, k + 1, next, next != start)
  let h = take k hull
  let area = f64.sum (map (\i -> let a = ps[h[i]] let b = ps[h[(i + 1) % k]] in a[0] * b[1] - a[1] * b[0]) (iota k)) / 2
  in (k, area)

entry kmeans1d [n] [k] (xs: [n]f64) (cs: [k]f64) (steps: i32) : [k]f64 =
  loop cs for _i < steps do
    let near x = (reduce (\(i, a) (j, b) -> if a <= b then (i, a) else (j, b)) (-1, f64.inf) (zip (iota k) (map (\c -> f64.abs (x - c)) cs))).0
    let is = map near xs
    let sums = hist (+) 0 k is xs
    let counts = hist (+) 0 k is (map (const 1f64) xs)
    in map2 (/) sums counts

entry rule110 (n: i64) (steps: i32) : []u8 =
  let row = replicate n 0u8 with [n - 1] = 1
  let f l c r = u8.bool ((110u8 >> (l * 4 + c * 2 + r)) & 1 == 1)
  in loop row for _i < steps do map3 f (rotate (-1) row) row (rotate 1 row)

entry flame (n: i64) : [10][10]i32 =
  let point i =
    let (x, y, _) = loop (x, y, s) = (0.1f32, 0.2f32, u32.i64 (i + 1)) for _k < 20i32 do
      let s = s * 1103515245 + 12345
      in match (s >> 16) % 3
         case 0 -> (x / 2, y / 2, s)
         case 1 -> ((x + 1) / 2, y / 2, s)
         case _ -> (x / 2, (y + 1) / 2, s)
    in (i64.f32 (y * 10), i64.f32 (x * 10))
  let ps = map point (iota n)
  in reduce_by_index_2d (replicate 10 (replicate 10 0)) (+) 0 ps (map (const 1) ps)
