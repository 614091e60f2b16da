-- Neutral elements that depend on what is differentiated, by reverse and by forward mode.

-- | The first element as the neutral one, as people write it.
-- ==
-- entry: largest
-- input { [3.0, 1.0, 2.0] }
-- output { [1.0, 0.0, 0.0] 1.0 }
-- input { [1.0, 2.0, 2.0, 0.0] }
-- output { [0.0, 1.0, 0.0, 0.0] 2.0 }
entry largest [n] (xs: [n]f64) : ([n]f64, f64) =
  let f xs = reduce f64.max xs[0] xs
  in (vjp f xs 1, jvp f xs (map f64.i64 (1...n)))

-- | By an operator of the program's own, of pairs.
-- ==
-- entry: where_largest
-- input { [3.0, 1.0, 2.0] }
-- output { [1.0, 0.0, 0.0] 1.0 }
-- input { [1.0, 2.0, 2.0, 0.0] }
-- output { [0.0, 1.0, 0.0, 0.0] 2.0 }
entry where_largest [n] (xs: [n]f64) : ([n]f64, f64) =
  let op (a, i) (b, j) : (f64, i64) = if a >= b then (a, i) else (b, j)
  let f xs = (reduce op (xs[0], 0) (zip xs (iota n))).0
  in (vjp f xs 1, jvp f xs (map f64.i64 (1...n)))

-- | By an operator on rows.
-- ==
-- entry: largest_row
-- input { [[3.0, 1.0], [2.0, 1.0]] }
-- output { [[1.0, 1.0], [0.0, 0.0]] }
-- input { [[2.0, 1.0], [3.0, 0.0]] }
-- output { [[0.0, 0.0], [1.0, 1.0]] }
entry largest_row [n] (xs: [n][2]f64) : [n][2]f64 =
  vjp (\xs -> f64.sum (reduce (\a b -> if a[0] >= b[0] then a else b) xs[0] xs)) xs 1

-- | In each column.
-- ==
-- entry: in_columns
-- input { [[3.0, 1.0], [2.0, 1.0]] }
-- output { [[1.0, 1.0], [0.0, 0.0]] }
-- input { [[2.0, 1.0], [3.0, 0.0]] }
-- output { [[0.0, 1.0], [1.0, 0.0]] }
entry in_columns [n] (xs: [n][2]f64) : [n][2]f64 =
  vjp (\xs -> f64.sum (reduce (map2 f64.max) xs[0] xs)) xs 1

-- | A least value as a further element.
-- ==
-- entry: at_least
-- input { [3.0, 1.0, 2.0] 3.0 }
-- output { [0.0, 0.0, 0.0] 1.0 }
-- input { [3.0, 1.0, 5.0] 4.0 }
-- output { [0.0, 0.0, 1.0] 0.0 }
-- input { empty([0]f64) 2.0 }
-- output { empty([0]f64) 1.0 }
entry at_least [n] (xs: [n]f64) (least: f64) : ([n]f64, f64) =
  vjp (\(xs, least) -> reduce f64.max least xs) (xs, least) 1

-- | The same from each element to the next.
-- ==
-- entry: all_at_least
-- input { [3.0, 1.0, 2.0] 3.0 }
-- output { [0.0, 0.0, 0.0] 3.0 }
-- input { [3.0, 1.0, 5.0] 4.0 }
-- output { [0.0, 0.0, 1.0] 2.0 }
entry all_at_least [n] (xs: [n]f64) (least: f64) : ([n]f64, f64) =
  vjp (\(xs, least) -> f64.sum (scan f64.max least xs)) (xs, least) 1

-- | In bins.
-- ==
-- entry: in_bins
-- input { [3.0, 1.0, 2.0] }
-- output { [11.0, 0.0, 0.0] [1.0, 1.0] }
-- input { [1.0, 2.0, 2.0, 2.0, 0.0] }
-- output { [0.0, 10.0, 1.0, 0.0, 0.0] [3.0, 2.0] }
entry in_bins [n] (xs: [n]f64) : ([n]f64, [2]f64) =
  let f xs = hist f64.max xs[0] 2 (map (% 2) (iota n)) xs
  in (vjp f xs [1, 10], jvp f xs (map f64.i64 (1...n)))

-- | An operator that has such a neutral element whatever c is.
-- ==
-- entry: scaled
-- input { [1.0, 1.0, 1.0] 2.0 }
-- output { 4.0 4.0 }
-- input { [1.0] 2.0 }
-- output { 0.0 0.0 }
-- input { empty([0]f64) 2.0 }
-- output { -0.25 -0.25 }
entry scaled [n] (xs: [n]f64) (c: f64) : (f64, f64) =
  let f c = reduce (\a b -> a * b * c) (1 / c) xs
  in (vjp f c 1, jvp f c 1)

-- | The same in columns.
-- ==
-- entry: scaled_columns
-- input { [[3.0, 1.0], [2.0, 1.0]] 2.0 }
-- output { 7.0 7.0 }
-- input { empty([0][2]f64) 2.0 }
-- output { -0.5 -0.5 }
entry scaled_columns [n] (xs: [n][2]f64) (c: f64) : (f64, f64) =
  let f c = f64.sum (reduce (map2 (\a b -> a * b * c)) (replicate 2 (1 / c)) xs)
  in (vjp f c 1, jvp f c 1)

-- | The same of pairs.
-- ==
-- entry: scaled_pairs
-- input { [3.0, 1.0, 2.0] 3.0 }
-- output { 112.0 112.0 }
-- input { empty([0]f64) 2.0 }
-- output { -0.25 -0.25 }
entry scaled_pairs [n] (xs: [n]f64) (c: f64) : (f64, f64) =
  let f c =
    let (a, b) = reduce (\(a, b) (p, q) -> (a * p * c, b * p * c + q)) (1 / c, 0) (zip xs xs)
    in a + 2 * b
  in (vjp f c 1, jvp f c 1)

-- | What is no neutral element, but where a fold from the left begins.
-- ==
-- entry: beginnings
-- input { [3.0, 2.0, 5.0] }
-- output { [1.0, 1.0, 1.0] [10.0, 15.0, 6.0] [2.0, 2.0, 1.0] }
entry beginnings [n] (xs: [n]f64) : ([n]f64, [n]f64, [n]f64) =
  ( vjp (\xs -> reduce (+) xs[0] xs[1:]) xs 1
  , vjp (\xs -> reduce (*) xs[0] xs[1:]) xs 1
  , vjp (\xs -> f64.sum (scan (+) xs[0] xs[1:])) xs 1)

-- | Sums up to a limit: where the limit is reached, all depends on it.
-- ==
-- entry: limited
-- input { [1.0, 1.5] 2.0 }
-- output { 1.0 1.0 [1.0] }
-- input { [3.0] 2.0 }
-- output { 1.0 1.0 [1.0] }
-- input { [1.0, 1.5, 0.0] 2.0 }
-- output { 1.0 1.0 [1.0] }
-- input { [1.0, 1.5, -0.5] 2.0 }
-- output { 1.0 1.0 [1.0] }
-- input { [1.0, 0.5] 2.0 }
-- output { 0.0 0.0 [0.0] }
entry limited [n] (xs: [n]f64) (c: f64) : (f64, f64, [1]f64) =
  let f c = reduce (\a b -> f64.min c (a + b)) 0 xs
  in ( vjp f c 1
     , jvp f c 1
     , jvp (\c -> hist (\a b -> f64.min c (a + b)) 0 1 (replicate n 0) xs) c 1)

-- | The same in a bin.
-- ==
-- entry: limited_bin
-- input { [1.0, 1.5] 2.0 }
-- output { 1.0 }
-- input { [1.0, 1.5, 0.0] 2.0 }
-- output { 1.0 }
-- input { [1.0, 0.5] 2.0 }
-- output { 0.0 }
entry limited_bin [n] (xs: [n]f64) (c: f64) : f64 =
  vjp (\c -> hist (\a b -> f64.min c (a + b)) 0 1 (replicate n 0) xs) c [1]

-- | Bins without elements keep what they begin with, whatever operand is named first.
-- ==
-- entry: empty_bins
-- input { [5.0, 4.0] 2.0 [0i64, 0i64] }
-- output { 110.0 110.0 110.0 220.0 110.0 }
entry empty_bins [n] (xs: [n]f64) (c: f64) (is: [n]i64) : (f64, f64, f64, f64, f64) =
  let larger a b = f64.max b a
  let rows c = hist (map2 larger) [c, c] 3 is (map (\x -> [x, x]) xs)
  in ( vjp (\c -> hist f64.max c 3 is xs) c [1, 10, 100]
     , vjp (\c -> hist larger c 3 is xs) c [1, 10, 100]
     , vjp (\c -> reduce_by_index (replicate 3 c) larger c is xs) c [1, 10, 100]
     , vjp rows c [[1, 1], [10, 10], [100, 100]]
     , f64.sum (map2 (*) [1, 10, 100] (jvp (\c -> hist larger c 3 is xs) c 1)))
