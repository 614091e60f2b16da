-- Programs by which `kenaz bench plans` compares the planner's estimates with measured times.

def cost [n][d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64) : f64 =
  f64.sum (map2 (\x y -> f64.log (1 + f64.exp (-y * f64.sum (map2 (*) w x)))) xs ys)
  / f64.i64 n

entry logistic [n][d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64) : (f64, [d]f64) =
  vjp2 (cost xs ys) w 1

entry descent [n][d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64) : [d]f64 =
  loop w for _i < 10 do map2 (\a g -> a - 0.1 * g) w (vjp (cost xs ys) w 1)

def distance [d] (a: [d]f64) (b: [d]f64) : f64 = f64.sum (map2 (\x y -> (x - y) ** 2) a b)

entry kmeans [n][k][d] (xs: [n][d]f64) (centres: [k][d]f64) : [k][d]f64 =
  let nearest (x: [d]f64) =
    let ds = map (distance x) centres
    let (_, at) =
      reduce (\(a, i) (b, j) -> if a <= b then (a, i) else (b, j)) (f64.inf, 0) (zip ds (iota k))
    in at
  let at = map nearest xs
  let sums = reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) at xs
  let counts = hist (+) 0 k at (replicate n 1f64)
  in map2 (\s c -> map (/ f64.max 1 c) s) sums counts

entry moments [n] (xs: [n]f64) : (f64, f64, f64) =
  let mean = f64.sum xs / f64.i64 n
  let variance = f64.sum (map (\x -> (x - mean) ** 2) xs) / f64.i64 n
  in (mean, variance, f64.maximum (map (\x -> f64.abs (x - mean)) xs))

entry shops [n] (keys: [n]i64) (amounts: [n]f64) : [1000]f64 =
  hist (+) 0 1000 keys amounts

entry drawdown [n] (changes: [n]f64) : f64 =
  let levels = scan (+) 0 changes
  let peaks = scan f64.max (-f64.inf) levels
  in f64.maximum (map2 (-) peaks levels)

entry rises [n] (xs: [n]f64) : (i64, f64) =
  let kept = filter (> 0) (map2 (-) xs[1:] xs[:n - 1])
  in (length kept, f64.sum kept)

entry taxed [n][m] (keys: [n]i64) (amounts: [n]f64) (rates: [m]f64) : f64 =
  f64.sum (map2 (\k a -> a * rates[k]) keys amounts)

entry balances [n][m] (keys: [n]i64) (amounts: [n]f64) (start: [m]f64) : [m]f64 =
  reduce_by_index (copy start) (+) 0 keys amounts

def normal (x: f64) : f64 = 0.5 * f64.erfc (-x / f64.sqrt 2)

entry options [n] (spots: [n]f64) (strikes: [n]f64) : [n]f64 =
  map2 (\a b ->
          let (s, k) = (90 + 10 * a, 90 + 10 * b)
          let d = (f64.log (s / k) + 0.07) / 0.2
          in s * normal d - k * f64.exp (-0.05) * normal (d - 0.2))
       spots strikes

entry gram [n][d] (xs: [n][d]f64) : [d][d]f64 =
  let columns = transpose xs
  in map (\a -> map (\b -> f64.sum (map2 (*) a b)) columns) columns
