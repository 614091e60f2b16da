-- Edges: blur, gradient, thinning, hysteresis by repeated marking.
-- ==
-- entry: edges
-- input { 20f32 60f32 [[0u8, 90u8, 220u8, 200u8, 40u8, 200u8], [12u8, 220u8, 0u8, 90u8, 0u8, 220u8],
--   [12u8, 12u8, 255u8, 40u8, 90u8, 40u8], [0u8, 255u8, 10u8, 12u8, 90u8, 90u8], [90u8, 0u8, 0u8, 12u8,
--   12u8, 220u8], [0u8, 12u8, 10u8, 220u8, 0u8, 220u8], [255u8, 90u8, 10u8, 0u8, 90u8, 40u8]] } auto output
def at [h][w] (x: [h][w]f32) i j = x[i64.max 0 (i64.min (h - 1) i), i64.max 0 (i64.min (w - 1) j)]
def blur [h][w] (x: [h][w]f32) : [h][w]f32 =
  let k = [1, 4, 6, 4, 1f32]
  let rows = tabulate_2d h w (\i j -> f32.sum (map2 (\c d -> c * at x i (j + d - 2)) k (iota 5)) / 16)
  in tabulate_2d h w (\i j -> f32.sum (map2 (\c d -> c * at rows (i + d - 2) j) k (iota 5)) / 16)
type way = #undefined | #horizontal | #vertical | #rising | #falling
entry edges [h][w] (low: f32) (high: f32) (image: [h][w]u8) : ([h][w]u8, i32) =
  let b = blur (map (map f32.u8) image)
  let g = tabulate_2d h w (\i j ->
      let a di dj = at b (i + di) (j + dj)
      let dx = a (-1) 1 + 2 * a 0 1 + a 1 1 - a (-1) (-1) - 2 * a 0 (-1) - a 1 (-1)
      let dy = a 1 (-1) + 2 * a 1 0 + a 1 1 - a (-1) (-1) - 2 * a (-1) 0 - a (-1) 1
      let m = f32.sqrt (dx * dx + dy * dy)
      let angle = f32.atan2 dy dx / f32.pi * 4
      let s = i32.f32 (f32.round angle) %% 4
      let way : way = if m <= 1 then #undefined else if s == 0 then #horizontal else if s == 1 then #rising
                      else if s == 2 then #vertical else #falling
      in (m, way))
  let m' i j = if i < 0 || i >= h || j < 0 || j >= w then 0 else g[i, j].0
  let thin = tabulate_2d h w (\i j ->
      let (m, way) = g[i, j]
      let (p, q) = match way
        case #undefined -> (f32.inf, f32.inf)
        case #horizontal -> (m' i (j - 1), m' i (j + 1))
        case #vertical -> (m' (i - 1) j, m' (i + 1) j)
        case #rising -> (m' (i - 1) (j - 1), m' (i + 1) (j + 1))
        case #falling -> (m' (i - 1) (j + 1), m' (i + 1) (j - 1))
      in if m < p || m < q || m < low then 0u8 else if m < high then 1 else 2)
  let n i j = if i < 0 || i >= h || j < 0 || j >= w then 0u8 else 1
  let (marked, rounds, _) =
    loop (marked, rounds, changed) = (thin, 0i32, true) while changed do
      let next = tabulate_2d h w (\i j ->
          if marked[i, j] != 1 then marked[i, j] else
          let strong = map (\d -> let (y, x) = (i + d / 3 - 1, j + d % 3 - 1) in n y x == 1 && marked[y, x] == 2) (iota 9)
          in if or strong then 2 else 1)
      in (next, rounds + 1, or (flatten (map2 (map2 (!=)) marked next)))
  in (map (map (\x -> if x == 2 then 255 else 0)) marked, rounds)
