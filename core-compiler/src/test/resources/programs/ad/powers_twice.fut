-- Second derivatives of powers at zero, by each pair of modes.

-- | A polynomial that is written with powers: by reverse mode, and the second one.
-- ==
-- entry: polynomial
-- input { [1.0, 2.0, 3.0, 4.0] 0.0 }
-- output { 2.0 [6.0, 6.0, 6.0, 6.0] }
-- input { [1.0, 2.0, 3.0, 4.0] 1.0 }
-- output { 20.0 [30.0, 30.0, 30.0, 30.0] }
entry polynomial [n] (cs: [n]f64) (x: f64) : (f64, [4]f64) =
  let f x = f64.sum (map2 (\i c -> c * x ** f64.i64 i) (iota n) cs)
  in ( vjp f x 1
     , [ jvp (\x -> vjp f x 1) x 1, vjp (\x -> vjp f x 1) x 1
       , jvp (\x -> jvp f x 1) x 1, vjp (\x -> jvp f x 1) x 1 ])

-- | By the exponent, where a base is zero.
-- ==
-- entry: exponent
-- input { [0.0, 1.0, 2.0] 2.0 }
-- output { [1.9218120556728056, 1.9218120556728056, 1.9218120556728056, 1.9218120556728056] }
entry exponent [n] (xs: [n]f64) (p: f64) : [4]f64 =
  let f p = f64.sum (map (\x -> x ** p) xs)
  in [ jvp (\p -> vjp f p 1) p 1, vjp (\p -> vjp f p 1) p 1
     , jvp (\p -> jvp f p 1) p 1, vjp (\p -> jvp f p 1) p 1 ]
