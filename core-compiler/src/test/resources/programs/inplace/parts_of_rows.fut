-- Rows of which parts are overwritten, at the same places in all of them.

entry parts [n] (d: i64) (c: i64) (xs: [n]f64): [n][]f64 =
  map (\x ->
         let a = replicate c 0.0
         let a = a with [0:d] = replicate d (x * 2)
         in copy a with [d + 1:c] = replicate (c - d - 1) x) xs

entry keep [n] [m] (d: i64) (xs: [n][m]f64): [n][m]f64 =
  map (\x -> copy x with [0:d] = replicate d 2) xs

-- one part depends on the point
entry differ [n] [m] (d: i64) (is: [n]i64) (xs: [n][m]f64): [n][m]f64 =
  map2 (\i x ->
          let y = copy x with [0:d] = replicate d 2
          in y with [i:i + 2] = replicate 2 x[1]) is xs

-- ==
-- entry: parts
-- input { 2i64 4i64 [1.0, 2.0, 3.0] }
-- output { [[2.0, 2.0, 0.0, 1.0], [4.0, 4.0, 0.0, 2.0], [6.0, 6.0, 0.0, 3.0]] }

-- ==
-- entry: keep
-- input { 2i64 [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
-- output { [[2.0, 2.0, 3.0], [2.0, 2.0, 6.0]] }

-- ==
-- entry: differ
-- input { 2i64 [0i64, 1i64] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
-- output { [[2.0, 2.0, 3.0], [2.0, 5.0, 5.0]] }
