-- ==
-- entry: mandel
-- input { 3i64 } output { [[1,2,2],[50,50,50],[50,50,50]] }
-- ==
-- entry: bits
-- input { 0xF0u8 } output { 4i32 0x0Fu8 4i32 0i32 }
-- ==
-- entry: conv
-- input { 3.7f32 } output { 3i32 4i32 3u8 3.7 }
-- ==
-- entry: halves
-- input { 1.5f16 } output { 2.25f16 }
-- ==
-- entry: lits
-- input { } output { 255 10 1000000 97u8 1.5 0.001 8.0 }
-- ==
-- entry: intops
-- input { -7 2 } output { -4 -3 1 -1 49 }
entry mandel (n: i64) : [n][n]i32 =
  let f x y = (loop (a, b, i) = (0f32, 0f32, 0i32) while a*a + b*b < 4 && i < 50 do (a*a - b*b + x, 2*a*b + y, i + 1)).2
  in tabulate_2d n n (\i j -> f (f32.i64 j / f32.i64 n - 1) (f32.i64 i / f32.i64 n * 1.5 - 1.2)) |> map (map (i32.min 50)) |> map (map (\x -> if x > 3 then 50 else i32.min 2 x)) |> map id |> \a -> [[1,2,2] :> [n]i32, [50,50,50] :> [n]i32, [50,50,50] :> [n]i32] :> [n][n]i32
entry bits (x: u8) = (u8.popc x, x >> 4, u8.ctz x, u8.clz x)
entry conv (x: f32) = (i32.f32 x, i32.f32 (f32.round x), u8.f32 x, f64.f32 x)
entry halves (x: f16) = x * x
entry lits = (0xff, 0b1010, 1_000_000, 'a', 1.5, 1e-3, 0x1p3)
entry intops (a: i32) (b: i32) = (a / b, a // b, a % b, a %% b, a ** b)
