-- What a loop's steps need doesn't matter, and doesn't fail, where there is no step.

-- | Its first element.
-- ==
-- entry: first
-- input { [[1.0, 2.0], [3.0, 4.0]] empty([0]f64) empty([0][2][2]f64) }
-- output { [[0.0, 0.0], [0.0, 0.0]] }
-- input { [[1.0, 2.0], [3.0, 4.0]] [2.0] [[[1.0, 0.0], [0.0, 1.0]]] }
-- output { [[2.0, 6.0], [4.0, 8.0]] }
entry first [t][b][d] (w: [b][d]f64) (a: [t]f64) (xs: [t][b][d]f64) : [b][b]f64 =
  loop s = replicate b (replicate b 0) for i < t do
    let a0 = a[0]
    in map2 (map2 (+)) s (map (\x -> map (\r -> a0 * f64.sum (map2 (*) r x)) w) xs[i])

-- | A range of negative size.
-- ==
-- entry: negative
-- input { empty([0][3]f64) -3i64 }
-- output { [0.0, 0.0, 0.0] }
-- input { [[1.0, 2.0, 3.0]] 2i64 }
-- output { [1.0, 2.0, 3.0] }
-- input { [[1.0, 2.0, 3.0]] -3i64 }
-- error: iota of negative size
entry negative [t][d] (xs: [t][d]f64) (k: i64) : [d]f64 =
  loop s = replicate d 0 for i < t do
    let z = iota k
    let p = map (\x -> f64.sum (map (\j -> f64.i64 j * x) z)) xs[i]
    in map2 (\a b -> a / 2 + b) s p
