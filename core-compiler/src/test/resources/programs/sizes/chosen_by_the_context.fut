-- Size parameters that occur only in a result whose type is inferred: whoever uses it chooses.

def arr [m] 'a (x: a) = replicate m x

def two [m] [k] (x: i32) = replicate m (replicate k x)

def one_more [m] (x: i32) = replicate (m + 1) x

def add [m] (x: i32) = \(ys: [m]i32) -> map (+ x) ys

def pair [m] 'a (x: a) = (replicate m x, x)

def columns [m] [k] (xss: [m][k]i32) = (m, k, xss)

-- ==
-- entry: known
-- input { 4i64 } output { [3, 3, 3, 3] [2, 2, 2] [1, 1, 1, 1, 1] }

entry known (n: i64) : ([n]i32, [3]i32, [n + 1]i32) = (arr 3, arr 2, one_more 1)

-- ==
-- entry: both
-- input { 4i64 } output { 5i64 4i64 20i32 }

entry both (n: i64) =
  let (a, b, xss) = columns (two 1 : [5][n]i32)
  in (a, b, i32.sum (flatten xss))

-- ==
-- entry: of_another
-- input { [1, 2] } output { [7, 7] [1, 2] [4, 5] }

entry of_another (xs: []i32) =
  let (as, bs) = unzip (zip (pair 7i32).0 xs)
  in (as, bs, add 3 xs)

-- ==
-- entry: local_function
-- input { 4i64 } output { [3, 3, 3, 3] [2, 2, 2] }

entry local_function (n: i64) : ([n]i32, [3]i32) =
  let f [m] (x: i32) = replicate m x
  in (f 3, f 2)

-- ==
-- entry: in_a_map
-- input { 2i64 [1, 2] } output { [[1, 1], [2, 2]] }

entry in_a_map (n: i64) (xs: []i32) = map (\x -> arr x : [n]i32) xs
