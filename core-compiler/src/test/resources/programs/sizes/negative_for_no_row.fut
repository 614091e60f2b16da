-- A size that is negative where there are no rows, in a function that then runs for none.
-- ==
-- entry: rows
-- input { empty([0]f64) } output { empty([0]f64) }
-- input { [1f64] } output { [1f64] }
-- input { [1f64, 2f64, 3f64] } output { [2f64, 3f64, 4f64] }
-- ==
-- entry: given
-- input { empty([0]i64) -1i64 } output { empty([0]i64) }
-- input { [1i64] 3i64 } output { [4i64] }
-- ==
-- entry: counted
-- input { empty([0]i64) 0i32 } output { 0i64 }
-- input { [1i64, 5i64] 3i32 } output { 10i64 }
-- ==
-- entry: copies
-- input { empty([0]i64) } output { empty([0]i64) }
-- input { [2i64, 3i64] } output { [2i64, 3i64] }

entry rows [n] (ys: [n]f64) : [n]f64 =
  map (\y -> y + f64.sum (map f64.i64 (iota (n - 1)))) ys

entry given [n] (ks: [n]i64) (k: i64) : [n]i64 = map (\x -> x + i64.sum (iota k)) ks

entry counted [n] (ks: [n]i64) (k: i32) : i64 =
  loop s = 0 for i < n do
    s + ks[i] + i64.sum (map i64.i32 (tabulate (i64.i32 (k - 1)) i32.i64)) + i64.i32 (k % 3) + length (replicate (n - 1) k)

entry copies [n] (ks: [n]i64) : [n]i64 =
  map (\k -> let a = replicate (n - 1) k in if length a > 0 then a[0] else k) ks
