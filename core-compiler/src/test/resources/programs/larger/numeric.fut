-- Numerical methods.
-- ==
-- entry: lu_solve
-- input { [[4f64,3f64],[6f64,3f64]] [10f64,12f64] } output { [1f64,2f64] }

-- ==
-- entry: gauss_jordan
-- input { [[2f64,1f64],[5f64,3f64]] } output { [[3f64,-1f64],[-5f64,2f64]] }

-- ==
-- entry: tridag
-- input { [0f32,1f32,1f32] [4f32,4f32,4f32] [1f32,1f32,0f32] [5f32,6f32,5f32] } output { [1f32,1f32,1f32] }

-- ==
-- entry: simpson
-- input { 0f64 3.141592653589793f64 100i64 } output { 2f64 }

-- ==
-- entry: newton_sqrt
-- input { 2f64 } output { 1.4142135623730951f64 }

-- ==
-- entry: runge_kutta
-- input { 100i64 } output { 2.718281828f64 }

-- ==
-- entry: jacobi
-- input { [[10f64,1f64],[2f64,10f64]] [11f64,12f64] 50i32 } output { [1f64,1f64] }

-- ==
-- entry: power_iteration
-- input { [[2f64,0f64],[0f64,1f64]] } output { 2f64 }

-- ==
-- entry: cholesky
-- input { [[4f64,2f64],[2f64,5f64]] } output { [[2f64,0f64],[1f64,2f64]] }

-- ==
-- entry: determinant
-- input { [[2f64,0f64,1f64],[1f64,3f64,2f64],[1f64,1f64,4f64]] } output { 18f64 }

-- ==
-- entry: matpow
-- input { [[1i64,1i64],[1i64,0i64]] 30i64 } output { [[1346269i64,832040i64],[832040i64,514229i64]] }

-- ==
-- entry: horner
-- input { [1f64,2f64,3f64] 2f64 } output { 17f64 }

-- ==
-- entry: heat
-- input { [0f32,0f32,8f32,0f32,0f32] 2i32 } output { [0f32,2f32,3f32,2f32,0f32] }

-- ==
-- entry: monte_carlo
-- input { 20000i64 } output { true }

def lu [n] (a: *[n][n]f64) : *[n][n]f64 =
  loop a for k < n do
    let col = map (\i -> if i > k then a[i, k] / a[k, k] else a[i, k]) (iota n)
    let row = copy a[k]
    in tabulate_2d n n (\i j ->
         if i > k && j > k then a[i, j] - col[i] * row[j] else if j == k then col[i] else a[i, j])

entry lu_solve [n] (a: [n][n]f64) (b: [n]f64) : [n]f64 =
  let m = lu (copy a)
  let y = loop y = copy b for i < n do
    let s = f64.sum (map2 (*) m[i, :i] y[:i])
    let v = y[i] - s
    in y with [i] = v
  in loop x = y for k < n do
    let i = n - 1 - k
    let s = f64.sum (map2 (*) m[i, i + 1:] x[i + 1:])
    let v = (x[i] - s) / m[i, i]
    in x with [i] = v

entry gauss_jordan [n] (a: [n][n]f64) : [n][n]f64 =
  let m = n + n
  let aug = map2 (\i row -> sized m (row ++ map (\j -> f64.bool (i == j)) (iota n))) (iota n) a
  let r = loop aug for i < n do
    let pivot = aug[i]
    let p = pivot[i]
    let scaled = map (/ p) pivot
    in map2 (\k row -> if k == i then scaled else map2 (\x y -> x - row[i] * y) row scaled) (iota n) aug
  in map (\row -> sized n (drop n row)) r

entry tridag [n] (a: [n]f32) (b: [n]f32) (c: [n]f32) (d: [n]f32) : [n]f32 =
  let (c', d') =
    loop (cs, ds) = (replicate n 0, replicate n 0) for i < n do
      if i == 0
      then (cs with [0] = c[0] / b[0], ds with [0] = d[0] / b[0])
      else let m = b[i] - a[i] * cs[i - 1]
           let x = (d[i] - a[i] * ds[i - 1]) / m
           in (cs with [i] = c[i] / m, ds with [i] = x)
  in loop x = copy d' for k in (n - 2)..(n - 3)...0 do x with [k] = d'[k] - c'[k] * x[k + 1]

entry simpson (a: f64) (b: f64) (n: i64) : f64 =
  let h = (b - a) / f64.i64 n
  let w i = if i == 0 || i == n then 1 else if i % 2 == 1 then 4 else 2
  in h / 3 * f64.sum (map (\i -> w i * f64.sin (a + h * f64.i64 i)) (0...n))

entry newton_sqrt (x: f64) : f64 =
  (loop (y, prev) = (x, 0) while f64.abs (y - prev) > 1e-15 do ((y + x / y) / 2, y)).0

entry runge_kutta (n: i64) : f64 =
  let h = 1 / f64.i64 n
  let f (_t: f64) (y: f64) = y
  in (loop (t, y) = (0, 1) for _i < n do
        let k1 = f t y
        let k2 = f (t + h / 2) (y + h * k1 / 2)
        let k3 = f (t + h / 2) (y + h * k2 / 2)
        let k4 = f (t + h) (y + h * k3)
        in (t + h, y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))).1

entry jacobi [n] (a: [n][n]f64) (b: [n]f64) (steps: i32) : [n]f64 =
  loop x = replicate n 0 for _s < steps do
    map3 (\i row bi -> (bi - (f64.sum (map2 (*) row x) - row[i] * x[i])) / row[i]) (iota n) a b

entry power_iteration [n] (a: [n][n]f64) : f64 =
  let norm v = f64.sqrt (f64.sum (map (** 2) v))
  let v = loop v = replicate n 1 for _i < 100i32 do
    let w = map (\row -> f64.sum (map2 (*) row v)) a
    let l = norm w
    in map (/ l) w
  in f64.sum (map2 (*) v (map (\row -> f64.sum (map2 (*) row v)) a))

entry cholesky [n] (a: [n][n]f64) : [n][n]f64 =
  loop l = replicate n (replicate n 0) for j < n do
    loop l for i in j..<n do
      let s = f64.sum (map2 (*) l[i, :j] l[j, :j])
      let v = if i == j then f64.sqrt (a[i, i] - s) else (a[i, j] - s) / l[j, j]
      in l with [i, j] = v

entry determinant [n] (a: [n][n]f64) : f64 = f64.product (map (\i -> (lu (copy a))[i, i]) (iota n))

entry matpow [n] (a: [n][n]i64) (e: i64) : [n][n]i64 =
  let mul a b = map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a
  let id = tabulate_2d n n (\i j -> i64.bool (i == j))
  in (loop (r, b, e) = (id, a, e) while e > 0 do
        (if e % 2 == 1 then mul r b else r, mul b b, e / 2)).0

entry horner (cs: []f64) (x: f64) : f64 = foldr (\c acc -> c + x * acc) 0 cs

entry heat [n] (u: [n]f32) (steps: i32) : [n]f32 =
  loop u for _i < steps do
    tabulate n (\i -> if i == 0 || i == n - 1 then 0 else (u[i - 1] + 2 * u[i] + u[i + 1]) / 4)

entry monte_carlo (n: i64) : bool =
  let hash (x: u32) =
    let x = ((x >> 16) ^ x) * 0x45d9f3b
    let x = ((x >> 16) ^ x) * 0x45d9f3b
    in (x >> 16) ^ x
  let unit x = f64.u32 (hash x) / 4294967296
  let inside i = let x = unit (u32.i64 (2 * i)) let y = unit (u32.i64 (2 * i + 1)) in x * x + y * y < 1
  let p = 4 * f64.i64 (i64.sum (map (\i -> i64.bool (inside i)) (iota n))) / f64.i64 n
  in f64.abs (p - f64.pi) < 0.05
