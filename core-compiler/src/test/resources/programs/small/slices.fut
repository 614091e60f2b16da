-- ==
-- entry: sl
-- input { [0,1,2,3,4,5] } output { [1,2,3] [5,4,3,2,1,0] [0,2,4] [4,5] [0,1] }
-- ==
-- entry: sl2
-- input { [[1,2,3],[4,5,6]] } output { [2,5] [[2,3],[5,6]] [4,5,6] }
-- ==
-- entry: upd
-- input { [1,2,3,4] } output { [1,9,9,4] }
-- ==
-- entry: misc
-- input { [1,2,3,4] } output { [3,4,1,2] [4,3,2,1] 4 1 [2,3,4] [1,2,3] [1,2] [3,4] }
entry sl (xs: []i32) = (xs[1:4], xs[::-1], xs[::2], xs[4:], xs[:2])
entry sl2 (xs: [][]i32) = (xs[:,1], xs[:,1:], xs[1])
entry upd (xs: *[]i32) = xs with [1:3] = [9, 9]
entry misc (xs: []i32) = (rotate 2 xs, reverse xs, last xs, head xs, tail xs, init xs, take 2 xs, drop 2 xs)
