-- Matrix products with a check among what is multiplied.

-- ==
-- entry: of_elements of_rows
-- input { [[1.0, 2.0], [3.0, 4.0]] [[1.0, 2.0], [3.0, 4.0]] 3i64 }
-- output { [[7.0, 10.0], [15.0, 22.0]] }
-- input { [[1.0, 2.0], [3.0, 4.0]] [[1.0, 2.0], [3.0, 4.0]] 1i64 }
-- error: Assertion is false
entry of_elements [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) (l: i64) =
  map (\r -> map (\c -> f64.sum (map2 (\x y -> (assert (l > 2) x) * y) r c)) (transpose b)) a

entry of_rows [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) (l: i64) =
  map (\r -> map (\c -> let r = assert (l > 2) r in f64.sum (map2 (*) r c)) (transpose b)) a
