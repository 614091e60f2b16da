-- What the types call new is new: consuming the original doesn't show in it.
-- ==
-- entry: a
-- input { 3i64 } output { [0i64,1i64,2i64] [9i64,1i64,2i64] }
entry a (n: i64) = let xs = scan (+) 0 (map (\i -> if i > 0 then 1i64 else 0) (iota n)) let zs = map id xs let xs[0] = 9 in (zs, xs)
-- ==
-- entry: b
-- input { 3i64 } output { [0i64,1i64,2i64] [9i64,1i64,2i64] }
entry b (n: i64) = let xs = scan (+) 0 (map (\i -> if i > 0 then 1i64 else 0) (iota n)) let zs = zip xs xs let xs[0] = 9 in (map (.0) zs, xs)
-- ==
-- entry: pa
-- input { [1,2,3] } output { [1,2,3] }
-- ==
-- entry: pb
-- input { [1,2,3] [4,5,6] } output { [1,2,3] }
entry pa [n] (xs: *[n]i32) : [n]i32 = let ys = map id xs let zs = xs with [0] = 2 in ys
entry pb [n] (xs: *[n]i32) (ys: [n]i32) = let zs = zip xs ys let xs[0] = 1 in map (.0) zs
-- ==
-- entry: pc
-- input { [1,2,3] [4,5,6] } output { [1,2,3] [9,2,3] }
entry pc [n] (xs: *[n]i32) (ys: [n]i32) = let zs = zip xs ys let xs[0] = 9 in (map (.0) zs, xs)
-- ==
-- entry: pd
-- input { [1,2,3] } output { [1,2,3] [9,2,3] }
entry pd [n] (xs: *[n]i32) = let zs = map id xs let xs[0] = 9 in (zs, xs)
