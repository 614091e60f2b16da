-- Breaks in many time series with gaps: regression by Gauss and Jordan, residuals of what is valid.
-- ==
-- entry: breaks
-- input { 8i64 [[0.07f32, 0.54f32, 0.37f32, 0.06f32, 0.51f32, 0.04f32, 0.43f32, 0.07f32, 0.09f32, 0.42f32,
--   0.83f32, 0.12f32], [0.22f32, 0.63f32, 0.95f32, 0.58f32, 0.40f32, 0.98f32, 0.05f32, 0.86f32, 0.29f32,
--   0.14f32, 0.12f32, 0.31f32], [0.82f32, 0.18f32, 0.58f32, 0.64f32, 0.37f32, 0.55f32, 0.06f32, 0.06f32,
--   0.21f32, 0.68f32, 0.43f32, 0.31f32]] } auto output
def gauss_jordan [n][m] (a: [n][m]f32) : [n][m]f32 =
  loop a for i < n do
    let p = a[i, i]
    let row = map (\x -> if p == 0 then x else x / p) a[i]
    in map (\k -> if k == i then row else map2 (\x r -> x - a[k, i] * r) a[k] row) (iota n)
def inverse [n] (a: [n][n]f32) : [n][n]f32 =
  let both = map2 (\row i -> map (\j -> if j < n then row[j] else if j - n == i then 1 else 0) (iota (2 * n))) a (iota n)
  in map (\row -> row[n:] :> [n]f32) (gauss_jordan both)
entry breaks [k][t] (hist: i64) (images: [k][t]f32) : ([k]i64, [k]f32, [k][4]f32) =
  let xs = map (\i -> map (\j -> let a = f32.i64 j * 0.7 in if i == 0 then 1 else if i == 1 then f32.i64 j / 10 else
                          if i == 2 then f32.sin a else f32.cos a) (iota t)) (iota 4)
  let valid y = y > 0.15f32
  in unzip3 (map (\y ->
       let gram = map (\a -> map (\b -> f32.sum (map3 (\x z (v, j) -> if valid v && j < hist then x * z else 0) a b (zip y (iota t)))) xs) xs
       let gram = map2 (\r i -> map2 (\x j -> if i == j then x + 0.1 else x) r (iota 4)) gram (iota 4)
       let xty = map (\a -> f32.sum (map3 (\x v j -> if valid v && j < hist then x * v else 0) a y (iota t))) xs
       let beta = map (\r -> f32.sum (map2 (*) r xty)) (inverse gram)
       let fit = map (\j -> f32.sum (map2 (\b x -> b * x[j]) beta xs)) (iota t)
       let kept = filter (\(v, _, _) -> valid v) (zip3 y fit (iota t))
       let residuals = map (\(v, f, _) -> v - f) kept
       let sigma = f32.sqrt (f32.sum (map (\r -> r * r) residuals) / f32.i64 (1 + length residuals))
       let sums = scan (+) 0 residuals
       let first = reduce i64.min i64.highest (map3 (\s j (_, _, at) -> if f32.abs s > 1.2 * sigma + 0.01 * f32.i64 j then at else i64.highest)
                          sums (indices sums) kept)
       in (if first == i64.highest then -1 else first, sigma, beta)) images)
