-- The product of two matrices; its derivative is two products.

entry matmul [n] [m] [k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 =
  map (\x -> map (\y -> f32.sum (map2 (*) x y)) (transpose b)) a

entry matmul_ad [n] [m] [k] (a: [n][k]f32) (b: [k][m]f32) (c: [n][m]f32) =
  vjp2 (\(a, b) -> matmul a b) (a, b) c
