-- Integers are differentiated as if they were real numbers.
-- ==
-- entry: rev fwd
-- input { [0i64,1i64,0i64,-1i64,1i64] [3i32,4i32,1i32,0i32,5i32] [2i32, 9i32] [7i32, 8i32] }
-- output { [[0i32,0i32,7i32,0i32,0i32],[0i32,8i32,0i32,0i32,0i32]] }
-- ==
-- entry: poly
-- input { 3i64 4i64 } output { 24i64 9i64 33i64 }
-- ==
-- entry: sums
-- input { [1i32,2i32,3i32] } output { [6i32,3i32,2i32] [3i32,2i32,1i32] [0i32,0i32,1i32] [1i32,1i32,1i32] [2i32,4i32,6i32] }
-- ==
-- entry: loops
-- input { 2i64 3i64 } output { 12i64 12i64 }
-- ==
-- entry: idx
-- input { [1i64,2i64,0i64] } output { [0i64,1i64,1i64] }
-- ==
-- entry: beside
-- input { 3i32 2f32 } output { 2i32 3f32 1f32 }
-- ==
-- entry: scans
-- input { [1i32,2i32,3i32] } output { [9i32,4i32,2i32] [1i32,6i32,36i32] }
def singleadj (n: i64) (i: i64) (adj: i32) : [n]i32 = map (\j -> if (i==j) then adj else 0i32) (iota n)
def histo_min [n][w](is: [n]i64) (dest: [w]i32) (vs: [n]i32) : [w]i32 = reduce_by_index (copy dest) (i32.min) i32.highest is vs
entry rev [n][w](is: [n]i64) (vs: [n]i32) (hist_orig: [w]i32) (hist_bar: [w]i32) =
  map (\i -> vjp (histo_min is (map (const 99) hist_orig)) vs (singleadj w i hist_bar[i])) (iota w)
entry fwd [n][w](is: [n]i64) (vs: [n]i32) (hist_orig: [w]i32) (hist_bar: [w]i32) =
  transpose (map (\i -> jvp (histo_min is (map (const 99) hist_orig)) vs (singleadj n i (if is[i] < 0 then 0 else hist_bar[is[i]]))) (iota n))
entry poly (x: i64) (y: i64) = let f (x, y) = x * x * y in let (a, b) = vjp f (x, y) 1 in (a, b, jvp f (x, y) (1, 1))
entry sums [n] (xs: [n]i32) = (vjp i32.product xs 1, vjp (\ys -> i32.sum (scan (+) 0 ys)) xs 1, vjp i32.maximum xs 1, vjp i32.sum xs 1, vjp (\ys -> i32.sum (map (\y -> y ** 2) ys)) xs 1)
entry loops (x: i64) (n: i64) = let f (y: i64) = loop acc = 1 for _i < n do acc * y in (vjp f x 1, jvp f x 1)
entry idx [n] (xs: [n]i64) = vjp (\ys -> ys[ys[0]] + ys[ys[1]]) xs 1
entry beside (k: i32) (x: f32) = let (a, b) = vjp (\(k: i32, x: f32) -> f32.i32 k * x) (k, x) 1 in (a, b, jvp (\(k: i32) -> f32.i32 k) k 1)
entry scans [n] (xs: [n]i32) = (vjp (\ys -> i32.sum (scan (*) 1 ys)) xs 1, jvp (scan (*) 1) xs (map (** 2) xs))
