-- Operators at sizes that take several blocks.
def affine (a: (i32, i32)) (b: (i32, i32)) : (i32, i32) = (a.0 * b.0, a.1 * b.0 + b.1)

entry sum (xs: []i32) = i32.sum xs
entry sumf (xs: []i32) = f64.sum (map f64.i32 xs)
entry ordered (xs: []i32) = reduce affine (1, 0) (map (\x -> (x % 7, x)) xs)
entry argmax (xs: []i32) =
  reduce (\(x, i) (y, j) -> if x > y || x == y && i < j then (x, i) else (y, j))
         (i32.lowest, -1) (zip xs (indices xs))
entry both (xs: []i32) = (i32.sum xs, i32.maximum xs, map (+ 1) xs)
entry prefix (xs: []i32) = scan (+) 0 xs
entry prefixordered (xs: []i32) = unzip (scan affine (1, 0) (map (\x -> (x % 7, x)) xs))
entry evens (xs: []i32) = filter (\x -> x % 2 == 0) xs
entry rows (m: i64) (xs: []i32) =
  let n = length xs / m
  in map i32.sum (unflatten (take (n * m) xs :> [n * m]i32))
entry rowsordered (m: i64) (xs: []i32) =
  let n = length xs / m
  in unzip (map (\r -> reduce affine (1, 0) (map (\x -> (x % 7, x)) r)) (unflatten (take (n * m) xs :> [n * m]i32)))
entry rowscans (m: i64) (xs: []i32) =
  let n = length xs / m
  in map (scan (+) 0) (unflatten (take (n * m) xs :> [n * m]i32))
entry columnsums [n][m] (xs: [n][m]i32) = reduce (map2 (+)) (replicate m 0) xs
entry columnsordered [n][m] (xs: [n][m]i32) =
  unzip (map (\c -> reduce affine (1, 0) (map (\x -> (x % 7, x)) c)) (transpose xs))
entry columnscans [n][m] (xs: [n][m]i32) = scan (map2 (+)) (replicate m 0) xs
entry histsum (k: i64) (xs: []i32) = hist (+) 0 k (map (\x -> i64.i32 x % k) xs) xs
entry histmax (k: i64) (xs: []i32) =
  reduce_by_index (replicate k (i32.lowest, 0i64))
    (\(x, i) (y, j) -> if x > y || x == y && i < j then (x, i) else (y, j)) (i32.lowest, 0)
    (map (\x -> i64.i32 x % k) xs) (zip xs (indices xs))
entry histf (k: i64) (xs: []i32) = hist f32.min f32.inf k (map (\x -> i64.i32 x % k) xs) (map f32.i32 xs)
entry histsmall (k: i64) (xs: []i32) = hist (+) 0u8 k (map (\x -> i64.i32 x % k) xs) (map u8.i32 xs)
entry rowhist (m: i64) (k: i64) (xs: []i32) =
  let n = length xs / m
  in map (\r -> hist (+) 0 k (map (\x -> i64.i32 x % k) r) r) (unflatten (take (n * m) xs :> [n * m]i32))
entry vechist (k: i64) (xs: []i32) =
  reduce_by_index (replicate k (replicate 3 0)) (map2 (+)) (replicate 3 0)
    (map (\x -> i64.i32 x % k) xs) (map (\x -> [x, 1, 2 * x]) xs)
entry permuted (xs: []i32) =
  let n = length xs
  in scatter (replicate n 0) (map (\i -> i * 7919 % n) (indices xs)) xs
entry transposed (m: i64) (xs: []i32) =
  let n = length xs / m
  in transpose (unflatten (take (n * m) xs :> [n * m]i32))
entry matmul (m: i64) (xs: []i32) =
  let n = length xs / m
  let a = unflatten (take (n * m) xs :> [n * m]i32)
  in map (\r -> map (\c -> i32.sum (map2 (*) r c)) a) a
entry bad (xs: []i32) (i: i64) = i32.sum (map (\x -> if x == 77 then xs[i] else x) xs)
entry badscan (xs: []i32) (i: i64) = scan (+) 0 (map (\x -> if x == 77 then xs[i] else x) xs)
entry product [n][m][p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
entry realproduct [n][m][p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]f64 =
  map (\r -> map (\c -> f64.sum (map2 (*) (map f64.i32 r) (map f64.i32 c))) (transpose b)) a
entry distances [n][m][d] (a: [n][d]i32) (b: [m][d]i32) : ([n][m]i32, [n][m]i64) =
  let zs = map (\x -> map (\y ->
    let (s, t) = reduce_comm (\(s, t) (u, v) -> (s + u, i64.max t v)) (0, 0)
                             (map2 (\p q -> ((p - q) * (p - q), i64.i32 (p * q))) x y)
    in (s * 2, t + i64.i32 x[0])) b) a
  in (map (map (.0)) zs, map (map (.1)) zs)
entry batched [k][n][m] (a: [k][n][m]i32) (b: [n][m]i32) : [k][n][n]i32 =
  map (\x -> map (\r -> map (\c -> i32.sum (map2 (*) r c)) x) b) a
entry softmax [n][m] (a: [n][m]i32) : [n][m]f64 =
  map (\r -> let e = map (\x -> f64.exp (f64.i32 x)) r let s = f64.sum e in map (/ s) e) a
entry nearest [n][k][d] (points: [n][d]i32) (centres: [k][d]i32) : i32 =
  i32.sum (map (\p -> i32.minimum (map (\c -> i32.sum (map2 (\a b -> (a - b) * (a - b)) p c)) centres)) points)
entry turned [a][b][c] (xs: [a][b][c]i32) : [c][b][a]i32 = map transpose (transpose (map transpose xs))
-- Operators on arrays, and on tuples for which a tile in shared memory has few threads.
def mm [n] (a: [n][n]i32) (b: [n][n]i32) : [n][n]i32 =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
def eye (n: i64) = tabulate_2d n n (\i j -> i32.bool (i == j))
entry powers [n][k] (ms: [n][k][k]i32) : ([k][k]i32, [n][k][k]i32) =
  (reduce mm (eye k) (map (map (map (+ 1))) ms), scan mm (eye k) ms)
entry powerand [n][k] (ms: [n][k][k]i32) : ([k][k]i32, i32, i32, [n]i32) =
  let (p, s) = reduce (\(a, s) (b, t) -> (mm a b, i32.max s t)) (eye k, -99) (zip ms (map (\m -> m[0, 0]) ms))
  in (p, s, i32.sum (map (\m -> m[0, 0]) ms), map (\m -> m[k - 1, 0]) ms)
entry leftmost [n][k] (ms: [n][k][k]i32) : [k][k]i32 =
  reduce (\a b -> if a[0, 0] < -8 then b else a) (replicate k (replicate k (-9))) ms
entry rowpowers [m][n][k] (ms: [m][n][k][k]i32) : [m][k][k]i32 = map (reduce mm (eye k)) ms
def plus5 (a: (i64, i64, i64, i64, i64)) (b: (i64, i64, i64, i64, i64)) =
  (a.0 * b.0, a.1 * b.0 + b.1, a.2 + b.2, i64.max a.3 b.3, a.4 ^ b.4)
entry widescan (xs: []i32) =
  let five (x: i64) = (x % 3, x, x * x, x % 100, x)
  let op (a, b, c, d, e) (f, g, h, i, j) = (plus5 a f, plus5 b g, plus5 c h, plus5 d i, plus5 e j)
  let ne = let n = (1, 0, 0, i64.lowest, 0) in (n, n, n, n, n)
  let (a, _, c, _, e) = unzip5 (scan op ne (map (\x -> let y = five (i64.i32 x) in (y, y, five 7, y, y)) xs))
  let (p, q, r, s, t) = unzip5 e
  in (map (.1) a, map (.3) c, p, q, r, s, t)
entry plain (xs: []i32) : ([]i32, []i64) = unzip (map (\x -> (x * 3 + 1, if x > 500 then i64.i32 x else 7)) xs)
