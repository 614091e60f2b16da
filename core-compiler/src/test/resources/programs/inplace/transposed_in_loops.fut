-- A loop whose body makes a view that must be written out in each iteration.
-- ==
-- entry: a
-- input { [1,2,3] } output { [[1,1,1],[2,2,2],[3,3,3]] }
entry a [n] (ys: [n]i32) = loop v = replicate n ys for i < 3i32 do transpose v
-- ==
-- entry: b
-- input { [1,2,3] } output { [1,1,1] }
entry b [n] (ys: [n]i32) = (flatten (loop v = replicate n ys for i < 3i32 do transpose v))[0:n]
-- ==
-- entry: c
-- input { [1,2,3] 3i32 } output { [1,1,1] }
entry c [n] (ys: [n]i32) (k: i32) = (flatten (loop v = replicate n ys for i < k do transpose v))[0:n]
-- ==
-- entry: d
-- input { [1,2,3] } output { [1,1,1] }
entry d [n] (ys: [n]i32) = (flatten (transpose (replicate n ys)))[0:n]
-- ==
-- entry: e
-- input { [1,2,3] } output { [[1,1,1],[2,2,2],[3,3,3]] }
entry e [n] (ys: [n]i32) = loop w = (loop v = replicate n ys for i < 3i32 do transpose v) for i < 3i32 do w
