-- map, reduce and scan.
-- ==
-- entry: dot
-- input { [1f64, 2f64, 3f64] [4f64, 5f64, 6f64] } output { 32f64 }

-- ==
-- entry: many
-- input { [1i32, 2i32] [10i32, 20i32] [100i32, 200i32] [1000i32, 2000i32] [10000i32, 20000i32] } output { [11111i32, 22222i32] }

-- ==
-- entry: prefix
-- input { [1i32, 2i32, 3i32] } output { [1i32, 3i32, 6i32] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: largest
-- input { [3i32, 1i32, 7i32, 7i32] } output { 7i32 2i64 }

-- ==
-- entry: matmul
-- input { [[1i32, 2i32], [3i32, 4i32]] [[5i32, 6i32], [7i32, 8i32]] } output { [[19i32, 22i32], [43i32, 50i32]] }

-- ==
-- entry: rows
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [4i32, 6i32] [[1i32, 2i32], [4i32, 6i32]] }

-- ==
-- entry: nested
-- input { [[1i32, 2i32], [3i32, 4i32]] 10i32 } output { [[11i32, 12i32], [13i32, 14i32]] }

-- ==
-- entry: computed_rows
-- input { 2i64 [1i64, 2i64] } output { [[1i64, 2i64, 3i64], [2i64, 3i64, 4i64]] }

-- ==
-- entry: passed_on
-- input { [1i32, 2i32] } output { [1i32, 2i32] [1i64, 1i64] }

entry dot [n] (xs: [n]f64) (ys: [n]f64) = reduce (+) 0 (map2 (*) xs ys)

entry many [n] (a: [n]i32) (b: [n]i32) (c: [n]i32) (d: [n]i32) (e: [n]i32) =
  map5 (\a b c d e -> a + b + c + d + e) a b c d e

entry prefix (xs: []i32) = scan (+) 0 xs

entry largest [n] (xs: [n]i32) =
  let pick (x, i) (y, j) = if x > y || (x == y && i < j) then (x, i) else (y, j)
  in reduce_comm pick (i32.lowest, n) (zip xs (iota n))

entry matmul [n] [m] [k] (a: [n][m]i32) (b: [m][k]i32) : [n][k]i32 =
  map (\row -> map (\col -> i32.sum (map2 (*) row col)) (transpose b)) a

entry rows [n] [m] (xss: [n][m]i32) =
  (reduce (map2 (+)) (replicate m 0) xss, scan (map2 (+)) (replicate m 0) xss)

entry nested (xss: [][]i32) (y: i32) = map (\xs -> map (+ y) xs) xss

entry computed_rows (n: i64) (xs: []i64) = map (\x -> map (+ x) (iota (n + 1))) xs

entry passed_on (xs: []i32) = unzip (map (\x -> (x, 1i64)) xs)
