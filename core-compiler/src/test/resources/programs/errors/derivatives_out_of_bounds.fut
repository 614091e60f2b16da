-- A derivative reads and writes where its function reads, of which nothing else may be left.
-- ==
-- entry: slope
-- input { [1.0,2.0,3.0] 1i64 } output { [0.0,1.0,0.0] }
-- input { [1.0,2.0,3.0] 3i64 } error: bounds
-- input { [1.0,2.0,3.0] -1i64 } error: bounds
-- input { [1.0,2.0,3.0] 100000000i64 } error: bounds
-- input { empty([0]f64) 0i64 } error: bounds

entry slope [n] (xs: [n]f64) (k: i64) = vjp (\xs -> xs[k]) xs 1

-- ==
-- entry: slope_of_matrix
-- input { [[1.0,2.0],[3.0,4.0]] 1i64 0i64 } output { [[0.0,0.0],[1.0,0.0]] }
-- input { [[1.0,2.0],[3.0,4.0]] 100000000i64 0i64 } error: bounds
-- input { [[1.0,2.0],[3.0,4.0]] 0i64 -100000000i64 } error: bounds

entry slope_of_matrix [n] [m] (xss: [n][m]f64) (i: i64) (j: i64) = vjp (\xss -> xss[i, j]) xss 1

-- ==
-- entry: slope_of_rows
-- input { [[1.0,2.0],[3.0,4.0]] 1i64 } output { [[0.0,0.0],[1.0,1.0]] }
-- input { [[1.0,2.0],[3.0,4.0]] 100000000i64 } error: bounds

entry slope_of_rows [n] [m] (xss: [n][m]f64) (k: i64) = vjp (\xss -> f64.sum xss[k]) xss 1

-- ==
-- entry: slope_of_part
-- input { [[1.0,2.0],[3.0,4.0]] 1i64 } output { [[0.0,0.0],[0.0,1.0]] }
-- input { [[1.0,2.0],[3.0,4.0]] 100000000i64 } error: bounds

entry slope_of_part [n] (xss: [n][2]f64) (k: i64) = vjp (\xss -> f64.sum xss[k, 1:]) xss 1

-- ==
-- entry: tangent
-- input { [1.0,2.0,3.0] [4.0,5.0,6.0] 1i64 } output { 5.0 }
-- input { [1.0,2.0,3.0] [4.0,5.0,6.0] 100000000i64 } error: bounds

entry tangent [n] (xs: [n]f64) (ts: [n]f64) (k: i64) = jvp (\xs -> xs[k]) xs ts

-- ==
-- entry: tangent_of_rows
-- input { [[1.0,2.0],[3.0,4.0]] 1i64 } output { [3.0,4.0] }
-- input { [[1.0,2.0],[3.0,4.0]] 100000000i64 } error: bounds

entry tangent_of_rows [n] [m] (xss: [n][m]f64) (k: i64) = copy (jvp (\xss -> xss[k]) xss xss)

-- ==
-- entry: overwritten
-- input { [1.0,2.0,3.0] 1i64 } output { [1.0,0.0,3.0] }
-- input { [1.0,2.0,3.0] 100000000i64 } error: bounds
-- input { [1.0,2.0,3.0] -100000000i64 } error: bounds

entry overwritten [n] (xs: [n]f64) (k: i64) = vjp (\xs -> copy xs with [k] = 3) xs xs

-- ==
-- entry: overwritten_by
-- input { [1.0,2.0,3.0] 1i64 } output { 2.0 }
-- input { [1.0,2.0,3.0] 100000000i64 } error: bounds

entry overwritten_by [n] (xs: [n]f64) (k: i64) = vjp (\x -> copy xs with [k] = x) 5 xs

-- ==
-- entry: overwritten_tangent
-- input { [1.0,2.0,3.0] 1i64 } output { [1.0,0.0,3.0] }
-- input { [1.0,2.0,3.0] 100000000i64 } error: bounds

entry overwritten_tangent [n] (xs: [n]f64) (k: i64) = jvp (\xs -> copy xs with [k] = 3) xs xs

-- ==
-- entry: overwritten_in_loop
-- input { [2.0,3.0,4.0] [1i64,0i64] } output { [4.0,6.0,0.0] }
-- input { [2.0,3.0,4.0] [1i64,100000000i64] } error: bounds

entry overwritten_in_loop [n] (xs: [n]f64) (is: []i64) =
  vjp (\xs -> let ys = loop ys = copy xs for i in is do ys with [i] = ys[i] * ys[i]
              in ys[0] + ys[1])
      xs
      1
