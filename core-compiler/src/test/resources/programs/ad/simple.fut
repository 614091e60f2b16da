-- Derivatives of small functions.
-- ==
-- entry: forward
-- input { 3f64 } output { 9f64 6f64 }

-- ==
-- entry: reverse
-- input { 3f64 } output { 9f64 6f64 }

-- ==
-- entry: gradient
-- input { [1f64, 2f64, 3f64] } output { [2f64, 4f64, 6f64] }

-- ==
-- entry: hessian_diagonal
-- input { [1f64, 2f64] } output { [6f64, 12f64] }

-- ==
-- entry: two_arguments
-- input { 2f64 3f64 } output { 3f64 2f64 }

entry forward (x: f64) = jvp2 (\y -> y * y) x 1
entry reverse (x: f64) = vjp2 (\y -> y * y) x 1
entry gradient (xs: []f64) = vjp (\ys -> f64.sum (map (\y -> y * y) ys)) xs 1

entry hessian_diagonal [n] (xs: [n]f64) =
  let f (ys: [n]f64) = f64.sum (map (\y -> y * y * y) ys)
  in jvp (\ys -> vjp f ys 1) xs (replicate n 1)

entry two_arguments (x: f64) (y: f64) = vjp (\(a, b) -> a * b) (x, y) 1
