-- ==
-- entry: chunks
-- input { 2i64 [1,2,3,4,5,6] } output { [3,7,11] }
-- input { 4i64 [1,2,3,4,5,6] } error:
-- ==
-- entry: evens
-- input { [1,2,3,4,5,6] } output { [2,4,6] 3i64 }
-- ==
-- entry: dot
-- input { [1,2] [3,4] } output { 11 }
-- input { [1,2] [3] } error:
-- ==
-- entry: mats
-- input { [[1,2],[3,4]] [[5,6],[7,8]] } output { [[19,22],[43,50]] }
entry chunks [n] (k: i64) (xs: [n]i32) : []i32 =
  let m = n / k in map i32.sum (unflatten (xs :> [m * k]i32))
entry evens (xs: []i32) : ([]i32, i64) =
  let ys = filter (\x -> x % 2 == 0) xs in (ys, length ys)
entry dot [n] (xs: [n]i32) (ys: [n]i32) = i32.sum (map2 (*) xs ys)
entry mats [n][m][p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
