-- Arrays of tuples are tuples of arrays.
-- ==
-- entry: swap_pairs
-- input { [1i32, 2i32] [true, false] } output { [true, false] [1i32, 2i32] }

-- ==
-- entry: element
-- input { [1i32, 2i32] [1.5f64, 2.5f64] } output { 2i32 2.5f64 }

-- ==
-- entry: literal
-- input { 5i32 } output { [5i32, 1i32] [2i32, 5i32] }

-- ==
-- entry: deep
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[2i32, 3i32], [4i32, 5i32]] [[1i32, 2i32], [3i32, 4i32]] }

-- ==
-- entry: sum_fields
-- input { [1i32, 2i32, 3i32] [10i32, 20i32, 30i32] } output { 6i32 60i32 }

entry swap_pairs [n] (xs: [n]i32) (ys: [n]bool) =
  unzip (map (\(x, y) -> (y, x)) (zip xs ys))

entry element [n] (xs: [n]i32) (ys: [n]f64) =
  let zs = zip xs ys
  in zs[1]

entry literal (x: i32) =
  let ps = [(x, 2i32), (1i32, x)]
  in unzip ps

entry deep (xss: [][]i32) =
  let pairs = map (map (\x -> {a = x, b = x + 1})) xss
  in (map (map (.b)) pairs, map (map (.a)) pairs)

entry sum_fields [n] (xs: [n]i32) (ys: [n]i32) =
  reduce (\a b -> (a.0 + b.0, a.1 + b.1)) (0, 0) (zip xs ys)
