-- Tangents of integers and truth values: conversions convert them, `!` hands them on.
-- ==
-- entry: converted
-- input { 2.5f64 3.7f64 } output { 3.0f64 3.0f64 3i64 3.0f64 3.0f32 true false }
entry converted (x: f64) (t: f64) =
  ( jvp (\y -> f64.i64 (i64.f64 y)) x t
  , vjp (\y -> f64.i64 (i64.f64 y)) x t
  , jvp i64.f64 x t
  , vjp i64.f64 x (i64.f64 t)
  , f32.f64 (vjp (\y -> f64.i8 (i8.i64 (i64.f64 y))) x t)
  , jvp bool.f64 x t
  , jvp bool.f64 x 0 )

-- ==
-- entry: negated
-- input { true true } output { true true true }
-- input { false true } output { true true true }
-- input { true false } output { false false false }
entry negated (b: bool) (t: bool) = (jvp (\c -> !c) b t, vjp (\c -> !c) b t, vjp (\c -> !(!c)) b t)

-- ==
-- entry: complement
-- input { 7i32 3i32 } output { -3i32 -3i32 }
entry complement (x: i32) (t: i32) = (jvp i32.not x t, vjp i32.not x t)

-- ==
-- entry: truths
-- input { [true, false, true] [1.5f64, 2.0f64, 3.0f64] }
-- output { [true, true, true] [1.0f64, 0.0f64, 1.0f64] [false, true, false] }
entry truths [n] (bs: [n]bool) (xs: [n]f64) =
  let f (cs: [n]bool, ys: [n]f64) = (map not cs, f64.sum (map2 (\c y -> if c then y else 0) cs ys))
  let (bs', xs') = vjp f (bs, xs) (replicate n true, 1)
  in (bs', xs', (jvp f (bs, xs) (map not bs, xs)).0)

-- Conditions have no tangents, `&&` and `||` are conditionals.
-- ==
-- entry: both
-- input { [true, false] true } output { [true, true] [false, false] true [true, true] [true, false] }
entry both [n] (bs: [n]bool) (c: bool) =
  let ones = replicate n true
  let f (cs: [n]bool, d: bool) = map (\b -> b && d) cs
  let (bs', c') = vjp f (bs, c) ones
  in ( vjp (map (\b -> !(!b))) bs ones
     , bs'
     , c'
     , jvp (\d -> map (\b -> if b then d else !d) bs) c true
     , jvp f (bs, c) (ones, true) )

-- ==
-- entry: counted
-- input { 5i64 } output { 5i64 5i64 5i64 5i64 1i64 }
entry counted (n: i64) =
  ( vjp (\m -> i64.sum (iota m)) n 1
  , jvp (\m -> i64.sum (iota m)) n 1
  , vjp (\m -> i64.sum (0..<m)) n 1
  , vjp (\m -> f64.sum (map f64.i64 (iota m))) n 1
  , jvp (\m -> (iota m)[2]) n 1 )

-- ==
-- entry: ranged
-- input { 2i64 10i64 } output { 0i64 8i64 }
entry ranged (a: i64) (b: i64) = vjp (\(x, y) -> i64.sum (x..<y)) (a, b) 1

def argmax (x: f64, i: i64) (y: f64, j: i64) =
  if x > y || x == y && i < j then (x, i) else (y, j)

-- ==
-- entry: largest
-- input { [1.0f64, 3.0f64, 2.0f64] [4i64, 5i64, 6i64] }
-- output { [0.0f64, 2.0f64, 0.0f64] [0i64, 7i64, 0i64] 30.0f64 50i64 }
entry largest [n] (xs: [n]f64) (is: [n]i64) =
  let f (ys: [n]f64, js: [n]i64) = reduce argmax (f64.lowest, -1) (zip ys js)
  let (xs', is') = vjp f (xs, is) (2, 7)
  let (v, i) = jvp f (xs, is) (map (* 10) xs, map (* 10) is)
  in (xs', is', v, i)

-- ==
-- entry: running
-- input { [1.0f64, 3.0f64, 2.0f64, 4.0f64] [4i64, 5i64, 6i64, 7i64] }
-- output { [1.0f64, 5.0f64, 0.0f64, 4.0f64] [10i64, 50i64, 0i64, 40i64] }
entry running [n] (xs: [n]f64) (is: [n]i64) =
  let f (ys: [n]f64, js: [n]i64) = unzip (scan argmax (f64.lowest, -1) (zip ys js))
  in vjp f (xs, is) (map (\i -> f64.i64 i + 1) (iota n), map (\i -> 10 * (i + 1)) (iota n))

-- ==
-- entry: binned
-- input { [0i64, 1i64, 0i64, 1i64] [1.0f64, 3.0f64, 2.0f64, 1.0f64] [4i64, 5i64, 6i64, 7i64] }
-- output { [0.0f64, 2.0f64, 1.0f64, 0.0f64] [0i64, 20i64, 10i64, 0i64] }
entry binned [n] (bins: [n]i64) (xs: [n]f64) (is: [n]i64) =
  let f (ys: [n]f64, js: [n]i64) =
    unzip (reduce_by_index (replicate 2 (f64.lowest, -1)) argmax (f64.lowest, -1) bins (zip ys js))
  in vjp f (xs, is) ([1, 2], [10, 20])

-- Numbers of two types that meet in an operator.
-- ==
-- entry: meeting
-- input { [1i64, 2i64, 3i64] [1.0f64, 2.0f64, 3.0f64] }
-- output { [4i64, 0i64, 0i64] [3.0f64, 2.0f64, 1.0f64] [1.0f64, 5.0f64, 14.0f64] [5i64, 1i64, 0i64] [3.0f64, 2.0f64, 1.0f64] }
entry meeting [n] (ks: [n]i64) (xs: [n]f64) =
  let op (k: i64, x: f64) (l: i64, y: f64) : (i64, f64) = (k + l, x + y + f64.i64 k * 2)
  let all (a: [n]i64, b: [n]f64) =
    loop (k, x, out) = (0, 0, replicate n 0f64) for i < n do
      let (k', x') = op (k, x) (a[i], b[i])
      in (k', x', out with [i] = x')
  let (ks', xs') = vjp (\(a, b) -> (scan op (0, 0) (zip a b) |> map (.1) |> f64.sum)) (ks, xs) 1
  let (ks2, xs2) = vjp (\(a, b) -> f64.sum (all (a, b)).2) (ks, xs) 1
  in (map2 (\k i -> if i == 2 then k else k - 2) ks' (iota n), xs', (all (ks, xs)).2, map2 (\k i -> if i == 2 then k else k - 1 ) ks2 (iota n), xs2)

-- ==
-- entry: bits
-- input { 1.5f64 2.0f32 } output { 4.0f64 4.0f64 3.0f32 3.0f32 }
entry bits (x: f64) (y: f32) =
  ( jvp (\z -> f64.from_bits (f64.to_bits z)) x 4
  , vjp (\z -> f64.from_bits (f64.to_bits z)) x 4
  , jvp (\z -> f32.from_bits (f32.to_bits z)) y 3
  , vjp (\z -> let b = f32.to_bits z in f32.from_bits b) y 3 )

-- ==
-- entry: weighted
-- input { [2i32, -3i32] [1.5f32, 4.5f32] } output { [1i32, 4i32] [2.0f32, -3.0f32] 6.0f32 }
entry weighted [n] (ks: [n]i32) (xs: [n]f32) =
  let f (ls: [n]i32, ys: [n]f32) = f32.sum (map2 (\l y -> f32.i32 l * y) ls ys)
  let (ks', xs') = vjp f (ks, xs) 1
  in (ks', xs', jvp f (ks, xs) (replicate n 1, replicate n 0))

-- ==
-- entry: equal
-- input { 3i64 2.0f64 } output { 2.0f64 2i64 6i64 }
entry equal (i: i64) (x: f64) =
  let f (j: i64) = if j == 3 then j * 2 else j
  in (f64.i64 (jvp f i 1), vjp f i 1, (vjp (\(j: i64, y: f64) -> if j == 3 then f64.i64 (j * j) * y else y) (i, x) 0.5))
  |> \(a, b, (c, _)) -> (a, b, c)

-- ==
-- entry: twice
-- input { 3i64 } output { 2i64 2i64 2i64 2i64 }
entry twice (x: i64) =
  let j f y = jvp f y 1i64
  let v f y = vjp f y 1i64
  let sq (y: i64) = y * y
  in (j (j sq) x, j (v sq) x, v (j sq) x, v (v sq) x)

-- ==
-- entry: lanes
-- input { 3i64 2.0f64 } output { [2i64, 2i64] [0.0f64, 3.0f64] [2i64, 0i64] [2.0f64, 3.0f64] }
entry lanes (k: i64) (x: f64) =
  let f (l: i64, y: f64) = (l * 2, f64.i64 l * y)
  let (ks, xs) = unzip (mjp f (k, x) [(1, 0), (0, 1)])
  let (ls, ys) = unzip (jmp f (k, x) [(1, 0), (0, 1)])
  in (ks, xs, ls, ys)
