-- Programs of many kinds, to be measured beside arrays.c: stencils, sums of tuples, sequential
-- loops in maps, dynamic programming, operators on vectors and matrices.
-- ==
-- entry: mandelbrot
-- "1000 x 1000" input { 1000i64 1000i64 255i32 }
entry mandelbrot (h: i64) (w: i64) (limit: i32): [h][w]i32 =
  tabulate_2d h w (\y x ->
    let cx = f32.i64 x / f32.i64 w * 3 - 2
    let cy = f32.i64 y / f32.i64 h * 2 - 1
    let (_, _, i) =
      loop (a, b, i) = (0, 0, 0) while i < limit && a * a + b * b <= 4 do
        (a * a - b * b + cx, 2 * a * b + cy, i + 1)
    in i)

-- ==
-- entry: nbody
-- "4000" script input { numbers 4000i64 }
entry nbody [n] (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (ms: [n]f32): ([n]f32, [n]f32, [n]f32) =
  map3 (\x y z ->
    let pull (x', y', z', m) =
      let (dx, dy, dz) = (x' - x, y' - y, z' - z)
      let r2 = dx * dx + dy * dy + dz * dz + 0.01
      let s = m / (r2 * f32.sqrt r2)
      in (dx * s, dy * s, dz * s)
    let add (a, b, c) (d, e, f) = (a + d, b + e, c + f)
    in reduce add (0, 0, 0) (map pull (zip4 xs ys zs ms))) xs ys zs
  |> unzip3

entry numbers (n: i64): ([n]f32, [n]f32, [n]f32, [n]f32) =
  let some k = map (\i -> f32.i64 ((i * 7919 + k * 104729) % 1009) / 1009) (iota n)
  in (some 1, some 2, some 3, some 4)

-- ==
-- entry: mri_q
-- "16384 x 1024" script input { numbers 16384i64 }
entry mri_q [n] (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (ps: [n]f32): ([n]f32, [n]f32) =
  map3 (\x y z ->
    let at k p q r =
      let e = 6.2831855 * (k * x + p * y + q * z)
      in (r * f32.cos e, r * f32.sin e)
    let add (a, b) (c, d) = (a + c, b + d)
    in reduce add (0, 0) (map4 at (take 1024 xs) (take 1024 ys) (take 1024 zs) (take 1024 ps)))
    xs ys zs
  |> unzip

-- ==
-- entry: matmul
-- "512" script input { (grid 512i64, grid 512i64) }
entry matmul [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a

entry grid (n: i64): [n][n]f32 =
  tabulate_2d n n (\i j -> f32.i64 ((i * 31 + j * 17) % 101) / 101 + 2)

-- ==
-- entry: hotspot
-- "1024 x 1024, 100 steps" script input { (100i32, grid 1024i64) }
entry hotspot [n] [m] (steps: i32) (start: [n][m]f32): [n][m]f32 =
  loop t = start for _i < steps do
    tabulate_2d n m (\i j ->
      let c = t[i, j]
      let up = if i > 0 then t[i - 1, j] else c
      let down = if i < n - 1 then t[i + 1, j] else c
      let left = if j > 0 then t[i, j - 1] else c
      let right = if j < m - 1 then t[i, j + 1] else c
      in c + 0.1 * (up + down + left + right - 4 * c))

-- ==
-- entry: pathfinder
-- "1000 x 100000" script input { wall 1000i64 100000i64 }
entry pathfinder [n] [m] (wall: [n][m]i32): [m]i32 =
  loop row = wall[0] for i < n - 1 do
    tabulate m (\j ->
      let c = row[j]
      let c = if j > 0 then i32.min c row[j - 1] else c
      let c = if j < m - 1 then i32.min c row[j + 1] else c
      in c + wall[i + 1, j])

entry wall (n: i64) (m: i64): [n][m]i32 =
  tabulate_2d n m (\i j -> i32.i64 ((i * 31 + j * 17 + i * j) % 10))

-- ==
-- entry: tridag
-- "2000 x 1000" script input { rows 2000i64 1000i64 }
entry tridag [n] [m] (ds: [n][m]f32): [n][m]f32 =
  map (\d ->
    let (u, y) =
      loop (u, y) = (replicate m 4, copy d) for i < m - 1 do
        let beta = 1 / u[i]
        let u[i + 1] = u[i + 1] - beta
        let y[i + 1] = y[i + 1] - beta * y[i]
        in (u, y)
    let y[m - 1] = y[m - 1] / u[m - 1]
    in loop y for j < m - 1 do
      let i = m - 2 - j
      let y[i] = (y[i] - y[i + 1]) / u[i]
      in y) ds

entry rows (n: i64) (m: i64): [n][m]f32 =
  tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17) % 101) / 101 + 2)

-- ==
-- entry: alignment
-- "2000" input { 2000i64 }
entry alignment (n: i64): i32 =
  let a = map (\i -> i32.i64 ((i * i * 7 + i) % 4)) (iota n)
  let b = map (\i -> i32.i64 ((i * i * 3 + i) % 4)) (iota n)
  let scores =
    loop t = replicate (n + 1) (replicate (n + 1) 0) for i < n do
      loop t for j < n do
        let same = t[i, j] + (if a[i] == b[j] then 3 else -2)
        let t[i + 1, j + 1] = i32.max same (i32.max (t[i, j + 1] - 2) (t[i + 1, j] - 2))
        in t
  in scores[n, n]

-- ==
-- entry: dot prefix keep histogram bell largest counted partitioned highest maths chunk_sums
-- "10^7" script input { vector 10000000i64 }
entry dot [n] (xs: [n]f32): f32 = f32.sum (map2 (*) xs (reverse xs))
entry prefix [n] (xs: [n]f32): [n]f32 = scan (+) 0 xs
entry keep [n] (xs: [n]f32): []f32 = filter (> 0.5) xs
entry histogram [n] (xs: [n]f32): [1000]f32 = hist (+) 0 1000 (map (\x -> i64.f32 (x * 1000)) xs) xs
entry bell [n] (xs: [n]f32): [n]f32 = map (\x -> f32.exp (-x * x)) xs
entry largest [n] (xs: [n]f32): (i64, f32) =
  let later (i, x) (j, y) = if x > y || (x == y && i < j) then (i, x) else (j, y)
  in reduce_comm later (0, -f32.inf) (zip (iota n) xs)

entry counted [n] (xs: [n]f32): i64 = length (filter (> 0.5) xs)
entry partitioned [n] (xs: [n]f32): ([]f32, []f32) = partition (> 0.5) xs
entry highest [n] (xs: [n]f32): ([1000]f32, [1000]i64) =
  let op (x, i) (y, j) = if x > y || (x == y && i < j) then (x, i) else (y, j)
  let bins = map (\x -> i64.f32 (x * 1000)) xs
  in unzip (hist op (-f32.inf, -1) 1000 bins (zip xs (iota n)))
entry maths [n] (xs: [n]f32): [n]f64 =
  map (\x ->
    let y = f64.f32 x
    in f64.sin y * f64.exp (-y) + f64.log (1 + y) + y ** 1.5) xs
entry chunk_sums [n] (xs: [n]f32): []f32 =
  let k = n / 16
  in map f32.sum (unflatten (take (k * 16) xs))

entry vector (n: i64): [n]f32 = map (\i -> f32.i64 ((i * 7919) % 1000003) / 1000003) (iota n)

-- ==
-- entry: row_sums column_sums transposed
-- "4000 x 4000" script input { grid 4000i64 }
entry row_sums [n] [m] (a: [n][m]f32): [n]f32 = map f32.sum a
entry column_sums [n] [m] (a: [n][m]f32): [m]f32 = map f32.sum (transpose a)
entry transposed [n] [m] (a: [n][m]f32): [m][n]f32 = map (map (+ 1)) (transpose a)

-- ==
-- entry: blur
-- "2000 x 2000" script input { image 2000i64 }
entry blur [n] [m] (a: [n][m]u8): [n][m]u8 =
  let clamp k i = i64.max 0 (i64.min (k - 1) i)
  in tabulate_2d n m (\i j ->
       let at k l = i32.u8 a[clamp n (i + k), clamp m (j + l)]
       let row k = at k (-1) + at k 0 + at k 1
       in u8.i32 ((row (-1) + row 0 + row 1) / 9))

entry image (n: i64): [n][n]u8 = tabulate_2d n n (\i j -> u8.i64 ((i * 31 + j * 17 + i * j) % 256))

-- ==
-- entry: normals turned nearest
-- "10^6 x 3" script input { points 1000000i64 }
entry normals [n] (ps: [n][3]f32): [n][3]f32 =
  map (\p ->
    let length = f32.sqrt (f32.sum (map (\x -> x * x) p))
    in map (/ length) p) ps
entry turned [n] (ps: [n][3]f32): [n][3]f32 =
  let a = [[1, 2, 3], [4, 5, 6], [7, 8, 10]]
  in map (\p -> map (\r -> f32.sum (map2 (*) r p)) a) ps
entry nearest [n] (ps: [n][3]f32): [n]i64 =
  let centres = take 10 ps
  let less (i, x) (j, y) = if x < y then (i, x) else (j: i64, y: f32)
  let far p c = f32.sum (map2 (\x y -> (x - y) * (x - y)) p c)
  in map (\p -> (reduce less (0, f32.inf) (zip (iota 10) (map (far p) centres))).0) ps

entry points (n: i64): [n][3]f32 =
  tabulate_2d n 3 (\i j -> f32.i64 ((i * 31 + j * 17) % 101) / 101 + 2)

-- ==
-- entry: steps
-- "10^5 x 100" script input { vector 100i64 }
entry steps [n] (xs: [n]f32): [n]f32 =
  loop xs for _i < 100000i32 do
    let s = f32.sum xs
    in map (\x -> (x + 0.001 * (s - x)) / 2) xs
