-- ==
-- entry: a1
-- input { [1i32,2i32,3i32] } output { [2i32,3i32,4i32] }
entry a1 (xs: []i32) = map (+ 1) xs
-- ==
-- entry: a2
-- input { [[1f32,2f32],[3f32,4f32]] [10f32,20f32] } output { [[11f32,22f32],[13f32,24f32]] }
entry a2 [n][m] (xss: [n][m]f32) (ys: [m]f32) = map (map2 (+) ys) xss
-- ==
-- entry: a3
-- input { [4f64, 9f64] } output { [2f64, 3f64] }
entry a3 (xs: []f64) = map f64.sqrt xs
-- ==
-- entry: a4
-- input { 5i64 } output { [0i64,0i64,1i64,3i64,6i64] }
def exscan [n] 'a (f: a -> a -> a) (ne: a) (xs: [n]a) : [n]a =
  map2 (\i x -> if i == 0 then ne else x) (iota n) (rotate (-1) (scan f ne xs))
entry a4 (n: i64) = exscan (+) 0 (iota n)
-- ==
-- entry: a5
-- input { 3i64 } output { [1i32, 2i32, 3i32] }
def mk (n: i64) = (n, \(x: i64) -> i32.i64 (x + 1))
entry a5 (n: i64) = let (m, f) = mk n in map f (iota m)
-- ==
-- entry: a6
-- input { [1i32,2i32] } output { [1i32,2i32,1i32,2i32,1i32,2i32] }
entry a6 [n] (xs: [n]i32) = flatten (replicate 3 xs)
-- ==
-- entry: a7
-- input { [1i32,2i32,3i32,4i32,5i32,6i32] } output { 12i32 }
def sumodd = reduce (+) 0 <-< map (\(x: i32) -> if x % 2 == 0 then x else 0)
entry a7 (xs: []i32) = sumodd xs
-- ==
-- entry: a8
-- input { 10i32 } output { 55i32 }
entry a8 (n: i32) = let rec = loop (i, acc) = (0, 0) while i <= n do (i + 1, acc + i) in rec.1
-- ==
-- entry: a9
-- input { 2i32 } output { 2i32 3i32 5i32 }
entry a9 (x: i32) =
  let f {a, b = (c, _)} = a + c
  let y = f {a = x, b = (0i32, true)}
  let (z, {w}) = (y + 1, {w = y + 3})
  in (y, z, w)
-- ==
-- entry: a10
-- input { [3i64, 1i64] } output { [0i64,0i64,0i64,1i64] }
entry a10 [n] (reps: [n]i64) =
  let tot = i64.sum reps
  let offs = map2 (-) (scan (+) 0 reps) reps
  let marks = scatter (replicate tot 0) offs (iota n)
  in scan i64.max 0 marks
-- ==
-- entry: a11
-- input { [1i32,2i32,3i32] } output { [1i32,2i32,3i32] [3i32,2i32,1i32] }
entry a11 (xs: []i32) = let f = (\y -> (y, reverse y)) in f xs
-- ==
-- entry: a12
-- input { true } output { 1i32 }
entry a12 (b: bool) = match b case true -> 1i32 case false -> 0
-- ==
-- entry: a13
-- input { 3i64 2i64 } output { [[0i64, 1i64, 2i64], [3i64, 4i64, 5i64]] }
entry a13 (n: i64) (m: i64) : [m][n]i64 = unflatten (iota (m * n))
-- ==
-- entry: a14
-- input { [1f64,2f64,3f64] } output { 0.816496580927726f64 }
def mean [n] (xs: [n]f64) = f64.sum xs / f64.i64 n
def stddev [n] (xs: [n]f64) = let mu = mean xs in f64.sqrt (mean (map (\x -> (x - mu) ** 2) xs))
entry a14 (xs: []f64) = stddev xs
-- ==
-- entry: a15
-- input { [1i32, 2i32, 3i32] } output { [6i32, 6i32, 6i32] }
entry a15 [n] (xs: [n]i32) : [n]i32 = let s = i32.sum xs in map (const s) xs
-- ==
-- entry: a16
-- input { 6i64 } output { [[0i64, 1i64], [2i64, 3i64], [4i64, 5i64]] }
entry a16 (n: i64) =
  let half = n / 2
  in tabulate half (\i -> [2 * i, 2 * i + 1])
-- ==
-- entry: a17
-- input { [1u32, 2u32] } output { [1664525u32, 3329050u32] }
def lcg (x: u32) : u32 = x * 1664525u32
entry a17 (xs: []u32) = map lcg xs
-- ==
-- entry: a18
-- input { 3i32 } output { [[1i32,1i32],[1i32,0i32]] [[3i32, 2i32], [2i32, 1i32]] }
def mmul (a: [2][2]i32) (b: [2][2]i32) : [2][2]i32 =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
entry a18 (n: i32) = let m = [[1, 1], [1, 0]] in (m, loop acc = [[1,0],[0,1]] for _i < n do mmul acc m)
