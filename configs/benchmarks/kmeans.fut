-- The cost of k-means, to be measured with its derivatives: see kmeans.json.

entry cost [n] [k] [d] (centres: [k][d]f64) (points: [n][d]f64): f64 =
  let square_distance (x: [d]f64) (c: [d]f64) = f64.sum (map2 (\a b -> (a - b) * (a - b)) x c)
  in f64.sum (map (\x -> f64.minimum (map (square_distance x) centres)) points)
