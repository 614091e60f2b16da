-- Size coercions and size expressions.
-- ==
-- entry: coerce
-- input { 2i64 [1i32, 2i32] } output { [1i32, 2i32] }
-- input { 3i64 [1i32, 2i32] } error: size

-- ==
-- entry: together
-- input { [1i32, 2i32] [3i32, 4i32] } output { [4i32, 6i32] }
-- input { [1i32, 2i32] [3i32] } error: size

-- ==
-- entry: bound
-- input { [1i32, 2i32, 3i32, 4i32] } output { 2i64 }

-- ==
-- entry: expression
-- input { 2i64 } output { [0i64, 1i64, 2i64, 3i64] }

entry coerce (n: i64) (xs: []i32) = xs :> [n]i32
entry together [n] [m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs (ys :> [n]i32)

entry bound (xs: []i32) =
  let [k] (ys: [k]i32) = filter (> 2) xs
  in k

def twice (n: i64) : [n * 2]i64 = iota (n * 2)
entry expression (n: i64) = twice n
