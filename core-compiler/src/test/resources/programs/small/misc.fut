-- ==
-- entry: parts
-- input { [1,2,3,4] } output { [2,4] [1,3] }
-- ==
-- entry: ex
-- input { [1,2,3] } output { true false true 3i64 }
-- ==
-- entry: flat
-- input { [[1,2],[3,4]] } output { [1,2,3,4] [[[1],[2]],[[3],[4]]] }
-- ==
-- entry: zips
-- input { [1,2] [3,4] } output { [4,6] [-2,-2] }
-- ==
-- entry: fold
-- input { [1,2,3] } output { 6 -6 }
-- ==
-- entry: red
-- input { [[1,2],[3,4]] } output { [4,6] }
-- ==
-- entry: ranges
-- input { 3 } output { [0,1,2] [0,1,2,3] [3,2,1] [0,2,4] }
entry parts (xs: []i32) = partition (\x -> x % 2 == 0) xs
entry ex (xs: []i32) = (any (== 2) xs, all (== 2) xs, or (map (> 2) xs), length xs)
entry flat (xs: [][]i32) = (flatten xs, map (map (\x -> [x])) xs)
entry zips (xs: []i32) (ys: []i32) = unzip (map (\(a, b) -> (a + b, a - b)) (zip xs ys))
entry fold (xs: []i32) = (foldl (+) 0 xs, foldr (\x a -> a - x) 0 xs)
entry red [n][m] (xs: [n][m]i32) : [m]i32 = reduce (map2 (+)) (replicate m 0) xs
entry ranges (n: i32) = (0..<n, 0...n, n..>0, 0..2...4)
