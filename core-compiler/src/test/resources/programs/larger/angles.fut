-- Angles between pairs of points, counted in bins found by binary search (as Parboil's tpacf).
-- ==
-- entry: counts
-- input { [0.61f32, 0.49f32, 0.22f32, 0.29f32, 0.74f32, 0.40f32, 0.92f32, 0.50f32, 0.17f32] [0.40f32,
--   0.28f32, 0.14f32, 0.43f32, 0.55f32, 0.71f32, 0.99f32, 0.68f32, 0.38f32] [[0.23f32, 0.08f32, 0.15f32,
--   0.66f32, 0.01f32], [0.83f32, 0.18f32, 0.28f32, 0.15f32, 0.53f32]] } auto output
entry counts [n][s][m] (ra: [n]f32) (dec: [n]f32) (others: [s][m]f32) : ([8]i64, [s][8]i64) =
  let bounds = map (\i -> f32.cos (f32.i64 i * 0.4)) (iota 7)
  let point a d = let (a, d) = (a * 6, d * 3 - 1.5) in (f32.cos a * f32.cos d, f32.sin a * f32.cos d, f32.sin d)
  let bin (x: f32) =
    let (lo, _) = loop (lo, hi) = (0, 7) while lo < hi do
      let mid = (lo + hi) / 2 in if x >= bounds[mid] then (lo, mid) else (mid + 1, hi)
    in lo
  let angle (a: (f32, f32, f32)) (b: (f32, f32, f32)) = a.0 * b.0 + a.1 * b.1 + a.2 * b.2
  let ps = map2 point ra dec
  let self = map (\i -> map (\j -> if j <= i then -1 else bin (angle ps[i] ps[j])) (iota n)) (iota n)
  let one = hist (+) 0 8 (flatten self) (replicate (n * n) 1i64)
  let cross = map (\o ->
      let qs = map (\x -> point x (x * x)) o
      in hist (+) 0 8 (flatten (map (\p -> map (\q -> bin (angle p q)) qs) ps)) (replicate (n * m) 1i64)) others
  in (one, cross)
