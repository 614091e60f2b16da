-- The tangent of what constants are added to comes back from the accumulation as it went in.

def f [n] (xs: [n]f64) : [n]f64 =
  reduce_by_index_stream (copy xs) (+) 0 (\acc _ -> write acc 1 0.8) (iota n)

-- ==
-- entry: tangent
-- input { [1f64, 2f64, 3f64] } output { [1f64, 2f64, 3f64] }
entry tangent [n] (xs: [n]f64) : [n]f64 = jvp f xs xs

-- ==
-- entry: tangents
-- input { [1f64, 2f64] } output { [[1f64, 2f64], [2f64, 4f64]] }
entry tangents [n] (xs: [n]f64) : [][n]f64 = jmp f xs [xs, map (* 2) xs]

-- ==
-- entry: adjoint
-- input { [1f64, 2f64, 3f64] } output { [1f64, 2f64, 3f64] }
entry adjoint [n] (xs: [n]f64) : [n]f64 = vjp f xs xs
