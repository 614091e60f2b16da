-- higher-order module stuff and prelude coverage
-- ==
-- entry: conv
-- input { 3i32 } output { 3i8 3u16 3f64 true }
entry conv (x: i32) = (i8.i32 x, u16.i32 x, f64.i32 x, bool.i32 x)
-- ==
-- entry: fl
-- input { 2f32 } output { 1.4142135f32 7.389056f32 0.6931472f32 4f32 0.5f32 }
entry fl (x: f32) = (f32.sqrt x, f32.exp x, f32.log x, x ** 2, f32.recip x)
-- ==
-- entry: fl2
-- input { 0.5f64 } output { 0.5204998778f64 0.4795001222f64 1.7724538509f64 0.5723649429f64 }
entry fl2 (x: f64) = (f64.erf x, f64.erfc x, f64.gamma x, f64.lgamma x)
-- ==
-- entry: t1
-- input { [1i32,2i32,3i32,4i32] } output { [[1i32,2i32],[3i32,4i32]] }
entry t1 (xs: [4]i32) = unflatten (xs :> [2*2]i32)
-- ==
-- entry: t2
-- input { [1i64,2i64,3i64] } output { [0i64,1i64,3i64] }
entry t2 [n] (xs: [n]i64) = map2 (-) (scan (+) 0 xs) xs
-- ==
-- entry: t3
-- input { [[1f32,2f32],[3f32,4f32]] } output { 10f32 2.5f32 }
entry t3 [n][m] (xs: [n][m]f32) = (f32.sum (map f32.sum xs), f32.sum (flatten xs) / f32.i64 (n*m))
-- ==
-- entry: t4
-- input { 5i64 } output { [5i64,4i64,3i64,2i64,1i64] }
entry t4 (n: i64) = map (\i -> n - i) (0..<n)
-- ==
-- entry: t5
-- input { [3i32,1i32,2i32] } output { [1i32,2i32,3i32] }
def insertion [n] (xs: *[n]i32) : *[n]i32 =
  loop xs for i in 1..<n do
    let (xs, _) = loop (xs, j) = (xs, i) while j > 0 && xs[j-1] > xs[j] do
      let t = xs[j]
      let xs[j] = copy xs[j-1]
      let xs[j-1] = t
      in (xs, j - 1)
    in xs
entry t5 [n] (xs: *[n]i32) = insertion xs
-- ==
-- entry: t6
-- input { [1i32,2i32,3i32] 2i32 } output { 1i64 }
-- input { [1i32,2i32,3i32] 5i32 } output { -1i64 }
entry t6 [n] (xs: [n]i32) (x: i32) : i64 =
  let (found, i) = loop (found, i) = (false, 0) while !found && i < n do
    if xs[i] == x then (true, i) else (false, i + 1)
  in if found then i else -1
-- ==
-- entry: t7
-- input { 10i64 } output { 2.9289682539f64 }
entry t7 (n: i64) = f64.sum (map (\i -> 1 / f64.i64 i) (1...n))
-- ==
-- entry: t8
-- input { [1u8, 2u8] } output { [2u8, 4u8] 104u8 }
entry t8 (s: []u8) = (map (*2) s, "hello"[0])
-- ==
-- entry: t9
-- input { [1i32, 5i32, 2i32, 4i32] } output { [1i64, 3i64] }
entry t9 [n] (xs: [n]i32) =
  let is = filter (\i -> xs[i] > 3) (iota n)
  in is
-- ==
-- entry: t10
-- input { 4i64 } output { [[1i64,0i64,0i64,0i64],[0i64,1i64,0i64,0i64],[0i64,0i64,1i64,0i64],[0i64,0i64,0i64,1i64]] }
entry t10 (n: i64) =
  let m = replicate n (replicate n 0i64)
  in loop m for i < n do m with [i, i] = 1
-- ==
-- entry: t11
-- input { [1i32,2i32,3i32,4i32,5i32] } output { [2i32,3i32,4i32] }
entry t11 [n] (xs: [n]i32) = let ys = xs[1:n-1] in ys
-- ==
-- entry: t12
-- input { 3i32 } output { [0i32, 1i32, 2i32] [3i32, 2i32, 1i32] }
entry t12 (n: i32) = (i32.iota n, map (n -) (i32.iota n))
