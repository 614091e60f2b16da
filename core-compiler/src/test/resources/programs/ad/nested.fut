-- Derivatives of derivatives, of loops, of histograms, of functions with free variables.
-- ==
-- entry: third
-- input { 2f64 } output { 48f64 }

-- ==
-- entry: newton
-- input { 2f64 } output { 1.414213562f64 }

-- ==
-- entry: free
-- input { 2f64 3f64 } output { 3f64 }

-- ==
-- entry: hessian
-- input { [1f64, 2f64] } output { [[2f64, 2f64], [2f64, 2f64]] }

-- ==
-- entry: histogram
-- input { [1f64, 2f64, 3f64] [0i64, 1i64, 0i64] } output { [8f64, 4f64, 8f64] }

-- ==
-- entry: descent
-- input { [4f64, -2f64] } output { [0f64, 0f64] }

def d (f: f64 -> f64) : f64 -> f64 = \x -> jvp f x 1

entry third (x: f64) = d (d (d (\y -> y ** 4))) x
entry newton (a: f64) = loop x = a for _i < 20 do x - (x * x - a) / d (\y -> y * y - a) x
entry free (x: f64) (y: f64) = vjp (\z -> z * y) x 1

entry hessian [n] (xs: [n]f64) =
  let f (v: [n]f64) = f64.sum v ** 2
  in tabulate n (\i -> jvp (\v -> vjp f v 1) xs (tabulate n (\j -> if i == j then 1 else 0)))

entry histogram [n] (xs: [n]f64) (is: [n]i64) =
  vjp (\v -> f64.sum (map (\s -> s * s) (hist (+) 0 2 is v))) xs 1

entry descent [n] (xs: [n]f64) =
  let f (v: [n]f64) = f64.sum (map (\x -> x * x) v)
  in loop xs for _i < 60 do map2 (\x g -> x - 0.2 * g) xs (vjp f xs 1)
