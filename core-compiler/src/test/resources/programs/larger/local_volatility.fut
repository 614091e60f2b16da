-- Local volatility: implicit steps of finite differences, tridiagonal systems by scans (as FinPar's).
-- ==
-- entry: values
-- input { 4i64 6i64 2i64 [0.32f32, 0.15f32, 0.65f32] } auto output
def tridag_scan [n] (a: [n]f32) (b: [n]f32) (c: [n]f32) (y: [n]f32) : [n]f32 =
  let b0 = b[0]
  let mats = map (\i -> if i > 0 then (b[i], -(a[i] * c[i - 1]), 1, 0) else (1, 0, 0, 1)) (iota n)
  let times (a0: f32, a1: f32, a2: f32, a3: f32) (b0: f32, b1: f32, b2: f32, b3: f32) =
    let v = 1 / (a0 * b0)
    in ((b0 * a0 + b1 * a2) * v, (b0 * a1 + b1 * a3) * v, (b2 * a0 + b3 * a2) * v, (b2 * a1 + b3 * a3) * v)
  let prods = scan times (1, 0, 0, 1) mats
  let b' = map (\(t0, t1, t2, t3) -> (t0 * b0 + t1) / (t2 * b0 + t3)) prods
  let lin (a0, a1) (b0: f32, b1: f32) : (f32, f32) = (b0 + b1 * a0, a1 * b1)
  let fwd = scan lin (0, 1) (map (\i -> if i > 0 then (y[i], -(a[i] / b'[i - 1])) else (0, 1)) (iota n))
  let y' = map (\(u, v) -> u + v * y[0]) fwd
  let last' = y'[n - 1] / b'[n - 1]
  let bwd = scan lin (0, 1) (map (\k -> let i = n - k - 1 in
              if k > 0 then (y'[i] / b'[i], -(c[i] / b'[i])) else (0, 1)) (iota n))
  let x = map (\(u, v) -> u + v * last') bwd
  in map (\i -> x[n - i - 1]) (iota n)
def step [nx][ny] (dt: f32) (sigma: f32) (xs: [nx]f32) (ys: [ny]f32) (v: [nx][ny]f32) : [nx][ny]f32 =
  let coef (n: i64) (u: f32) =
    let q = 0.5 * sigma * (1 + 0.1 * u) * dt * 4
    in (\i -> if i == 0 || i == n - 1 then (0, 1, 0) else (-q, 1 + 2 * q, -q))
  let rows = map2 (\u row ->
      let (a, b, c) = unzip3 (map (coef ny u) (iota ny))
      in tridag_scan a b c row) xs v
  let columns = map2 (\u col ->
      let (a, b, c) = unzip3 (map (coef nx u) (iota nx))
      in tridag_scan a b c col) ys (transpose rows)
  in transpose columns
entry values [k] (nx: i64) (ny: i64) (nt: i64) (strikes: [k]f32) : [k]f32 =
  let xs = map (\i -> f32.i64 i / f32.i64 nx) (iota nx)
  let ys = map (\i -> f32.i64 i / f32.i64 ny) (iota ny)
  in map (\s ->
       let v = map (\x -> map (\y -> f32.max 0 (x + y - s)) ys) xs
       let v = loop v for t < nt do step 0.01 (0.2 + 0.1 * f32.i64 t) xs ys v
       in v[nx / 2, ny / 2]) strikes
