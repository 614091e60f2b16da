-- What is read of a row is known to lie within it; that there is such a row is not.
-- ==
-- entry: element
-- input { [[1.0,2.0,3.0]] 0i64 } output { 2.0 }
-- input { [[1.0,2.0,3.0]] 100000000i64 } error: bounds
-- input { [[1.0,2.0,3.0]] -1i64 } error: bounds

entry element [n] (xss: [n][3]f64) (k: i64) =
  let row = xss[k]
  in row[1]

-- ==
-- entry: part
-- input { [[1.0,2.0,3.0]] 0i64 } output { [1.0,2.0] }
-- input { [[1.0,2.0,3.0]] 100000000i64 } error: bounds
-- input { [[1.0,2.0,3.0]] 1i64 } error: bounds

entry part [n] (xss: [n][3]f64) (k: i64) =
  let row = xss[k]
  in copy row[0:2]

-- ==
-- entry: opposite
-- input { [[1.0,2.0,3.0]] 0i64 } output { [3.0,2.0,1.0] }
-- input { [[1.0,2.0,3.0]] 100000000i64 } error: bounds

entry opposite [n] [m] (xss: [n][m]f64) (k: i64) = reverse xss[k]

-- ==
-- entry: by_index
-- input { [[1.0,2.0,3.0]] [0i64,0i64] } output { [3.0,3.0] }
-- input { [[1.0,2.0,3.0]] [0i64,100000000i64] } error: bounds

entry by_index [n] (xss: [n][3]f64) (is: []i64) =
  map (\i ->
         let row = xss[i]
         in row[0] + row[1])
      is

-- ==
-- entry: plane
-- input { [[[1.0],[2.0]]] 0i64 1i64 } output { 2.0 }
-- input { [[[1.0],[2.0]]] 0i64 100000000i64 } error: bounds
-- input { [[[1.0],[2.0]]] 100000000i64 0i64 } error: bounds

entry plane [n] [m] (xsss: [n][m][1]f64) (i: i64) (j: i64) =
  let plane = xsss[i]
  let row = plane[j]
  in row[0]

-- ==
-- entry: two_levels
-- input { [1.0,2.0,3.0] 2i64 } output { [2.0,4.0] }
-- input { [1.0,2.0,3.0] 1i64 } error: bounds

entry two_levels (xs: [3]f64) (n: i64) =
  let levels = scan (map2 (+)) (replicate 3 0) (tabulate n (\i -> map (+ f64.i64 i - 1) xs))
  let level = levels[1]
  in [level[0] + 1, level[1] + 1]

-- ==
-- entry: slope
-- input { [[1.0,2.0,3.0]] 0i64 } output { [[0.0,4.0,0.0]] }
-- input { [[1.0,2.0,3.0]] 100000000i64 } error: bounds

entry slope [n] (xss: [n][3]f64) (k: i64) =
  vjp (\xss ->
         let row = xss[k]
         in row[1] * row[1])
      xss
      1
