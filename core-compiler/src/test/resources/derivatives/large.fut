-- Derivatives of functions of many numbers, where work is cut into chunks: w . (J v) = (J^T w) . v.
-- ==
-- entry: reductions scans histograms updates rows
-- input { 3000i64 } output { [true, true, true, true, true, true, true, true] }
-- input { 65i64 } output { [true, true, true, true, true, true, true, true] }

def rand (n: i64) (k: i64) : [n]f64 = tabulate n (\i -> let h = (i * 7919 + k * 104729 + i * i * 31) % 1009 in f64.i64 h / 1009 + 0.05)
def dot [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)
def close (x: f64) (y: f64) : bool = f64.abs (x - y) <= 1e-8 * (1 + f64.abs x + f64.abs y)
def agree [n] [m] (f: [n]f64 -> [m]f64) (x: [n]f64) : bool =
  let v = map (\y -> y - 0.4) (rand n 3)
  let w = map (\y -> y - 0.3) (rand m 4)
  in close (dot w (jvp f x v)) (dot (vjp f x w) v)
def n1 (x: f64) : [1]f64 = [x]
def mul2 (a: f64, b: f64, c: f64, d: f64) (e: f64, f: f64, g: f64, h: f64) = (a*e+b*g, a*f+b*h, c*e+d*g, c*f+d*h)
def mats [n] (x: [n]f64) = map (\y -> (f64.cos y, -f64.sin y, f64.sin y, f64.cos y)) x
def keys (n: i64) (k: i64) : [n]i64 = tabulate n (\i -> (i * 7919 + i / 3) % (k + 1) - (if i % 17 == 0 then 1 else 0))

entry reductions (n: i64) =
  let x = rand n 1 in
  [agree (\y -> n1 (f64.sum (map f64.sin y))) x,
   agree (\y -> n1 (f64.product (map (\z -> 1 + 0.01 * z) y))) x,
   agree (\y -> [f64.maximum y * 2, f64.minimum (map f64.cos y)]) x,
   agree (\y -> n1 (reduce (\a b -> a + b + 0.001 * a * b) 0 y)) x,
   agree (\y -> let (a, b, c, d) = reduce mul2 (1, 0, 0, 1) (mats y) in [a, b, c, d]) x,
   agree (\y -> let (a, b) = reduce (\(a, b) (c, d) -> (a + c + b * d, b + d)) (0, 0) (map (\z -> (z, 0.01 * z)) y) in [a, b]) x,
   agree (\y -> let m = f64.maximum y in n1 (m + f64.log (f64.sum (map (\z -> f64.exp (z - m)) y)))) x,
   agree (\y -> reduce (map2 (*)) [1, 1, 1] (map (\z -> [1 + 0.01 * z, 1, 1 - 0.01 * z * z]) y)) x]

entry scans (n: i64) =
  let x = rand n 1 in
  [agree (scan (+) 0) x,
   agree (\y -> scan (*) 1 (map (\z -> 1 + 0.01 * z) y)) x,
   agree (scan f64.max f64.lowest) x,
   agree (scan (\a b -> a + b + 0.001 * a * b) 0) x,
   agree (\y -> map (\(a, b, c, d) -> a + b * c - d) (scan mul2 (1, 0, 0, 1) (mats y))) x,
   agree (\y -> map (.1) (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\z -> (f64.sin z, z)) y))) x,
   agree (\y -> map f64.sum (scan (map2 (+)) [0, 0] (map (\z -> [z, z * z]) y))) x,
   agree (\y -> map2 (*) (scan (+) 0 y) (reverse (scan f64.min f64.highest y))) x]

entry histograms (n: i64) =
  let x = rand n 1
  let d = rand 20 2
  let is = keys n 20
  in
  [agree (\y -> reduce_by_index (copy d) (+) 0 is (map f64.sin y)) x,
   agree (\y -> reduce_by_index (copy d) (*) 1 is (map (\z -> 1 + 0.1 * z) y)) x,
   agree (\y -> reduce_by_index (copy d) f64.max f64.lowest is y) x,
   agree (\y -> reduce_by_index (copy d) (\a b -> f64.min 30 (a + b)) 0 is y) x,
   agree (\y -> map (\(a, b) -> a * b) (reduce_by_index (replicate 20 (0, 0)) (\(a, b) (c, e) -> (a + c + b * e, b + e)) (0, 0) is (map (\z -> (z, 0.1 * z)) y))) x,
   agree (\y -> flatten (reduce_by_index (replicate 20 [1.0, 2.0]) (map2 (*)) [1, 1] is (map (\z -> [1 + 0.1 * z, 1 - 0.1 * z]) y)) :> [40]f64) x,
   agree (\y -> reduce_by_index (copy (take 20 y)) (\a b -> a + b + 0.1 * a * b) 0 (keys n (n + 5)) y) x,
   agree (\y -> flatten (reduce_by_index_2d (replicate 4 (replicate 5 1)) (*) 1 (zip (map (% 4) is) (map (\i -> i % 6) is)) y) :> [20]f64) x]

entry updates (n: i64) =
  let x = rand n 1 in
  [agree (\y -> loop z = copy y for i < n - 1 do z with [i + 1] = f64.sin (z[i] * z[i + 1])) x,
   agree (\y -> scatter (map f64.sin y) (map (\i -> n - 1 - 2 * i) (iota n)) (map f64.cos y)) x,
   agree (\y -> let z = rotate 7 y in map (\i -> z[i] * y[(i * i) % n]) (iota n)) x,
   agree (\y -> loop z = copy y for i < 20 do map2 (\a b -> a + 0.1 * f64.sin (b * f64.i64 i)) z (rotate 1 z)) x,
   agree (\y -> #[checkpoints(3)] loop z = copy y for i < 20 do map2 (\a b -> a + 0.1 * f64.sin (b * f64.i64 i)) z (rotate 1 z)) x,
   agree (\y -> #[stripmine(1)] loop z = copy y for i < 20 do map2 (\a b -> a + 0.1 * f64.sin (b * f64.i64 i)) z (rotate 1 z)) x,
   agree (\y -> (loop (z, s) = (copy y, 0) while s < 40 do (z with [i64.f64 s] = z[i64.f64 s] * z[i64.f64 s + 1], s + 1.5)).0) x,
   agree (\y -> let (a, b) = partition (> 0.5) y in [f64.sum (scan (*) 1 a) + f64.sum (map2 (*) b (reverse b)), f64.i64 (length a)]) x]

entry rows (n: i64) =
  let m = n / 5
  let x = rand (m * 5) 1 in
  [agree (\y -> map f64.product (unflatten y)) x,
   agree (\y -> map f64.maximum (transpose (unflatten y))) x,
   agree (\y -> flatten (map (scan (\a b -> a + b + 0.1 * a * b) 0) (transpose (unflatten y)))) x,
   agree (\y -> let a = unflatten y in flatten (map (\r -> map (\c -> dot r c) (transpose (take 5 a :> [5][5]f64))) a)) x,
   agree (\y -> let a = unflatten y in map (\r -> (loop s = 0.5 for z in r do f64.sin (s * z))) a) x,
   agree (\y -> let a = unflatten y in flatten (map (\r -> reduce_by_index (replicate 3 1) (*) 1 [0, 2, 0, 1, 7] r) a)) x,
   agree (\y -> let a = unflatten y in map (\i -> a[i, i % 5] * a[(i * 3) % m, 2]) (iota m)) x,
   agree (\y -> let a = unflatten y in reduce (map2 f64.min) (replicate 5 f64.highest) a) x]
