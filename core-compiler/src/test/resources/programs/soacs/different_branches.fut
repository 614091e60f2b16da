-- Points of a map take different sides of a branch, in which there is more to do in parallel.

entry rows [n] [m] (xs: [n][m]f64): ([n][m]f64, [n]f64) =
  unzip (map (\x ->
                if x[0] > 1
                then (scan (+) 0 x, f64.sum x)
                else let s = f64.maximum x in (map (/ s) x, s)) xs)

entry deeper [k] [n] [m] (xs: [k][n][m]i64): [k][n][m]i64 =
  map (map (\x -> if x[0] % 2 == 0 then scan (+) 0 x else if x[0] > 5 then reverse x else map (* 2) x)) xs

entry products [k] [n] [m] (xs: [k][n][m]f64) (ys: [k][n][m]f64) =
  vjp (map (map (scan (*) 1))) xs ys

-- ==
-- entry: rows
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
-- output { [[0.3333333333333333, 0.6666666666666666, 1.0], [4.0, 9.0, 15.0]] [3.0, 15.0] }
-- input { [[2.0, 2.0], [4.0, 5.0]] }
-- output { [[2.0, 4.0], [4.0, 9.0]] [4.0, 9.0] }
-- input { [[1.0, 2.0], [1.0, 4.0]] }
-- output { [[0.5, 1.0], [0.25, 1.0]] [2.0, 4.0] }
-- input { empty([0][3]f64) }
-- output { empty([0][3]f64) empty([0]f64) }

-- ==
-- entry: deeper
-- input { [[[1i64, 2i64], [4i64, 5i64], [7i64, 1i64]], [[2i64, 3i64], [9i64, 8i64], [3i64, 3i64]]] }
-- output { [[[2i64, 4i64], [4i64, 9i64], [1i64, 7i64]], [[2i64, 5i64], [8i64, 9i64], [6i64, 6i64]]] }

-- ==
-- entry: products
-- input { [[[1.0, 2.0, 3.0], [0.0, 5.0, 6.0]], [[1.0, 0.0, 3.0], [1.0, 2.0, 2.0]]]
--         [[[1.0, 2.0, 3.0], [0.0, 5.0, 6.0]], [[1.0, 0.0, 3.0], [1.0, 2.0, 2.0]]] }
-- output { [[[23.0, 11.0, 6.0], [205.0, 0.0, 0.0]], [[1.0, 9.0, 0.0], [13.0, 6.0, 4.0]]] }
