-- Nested parallelism with sizes that come from within, and odd shapes.
-- ==
-- entry: tri
-- input { 4i64 } output { [0i64,1i64,3i64,6i64] }
entry tri (n: i64) = map (\i -> i64.sum (iota (i + 1))) (iota n)
-- ==
-- entry: tri2
-- input { 4i64 } output { [0i64,1i64,5i64,14i64] }
entry tri2 (n: i64) = map (\i -> i64.sum (map2 (*) (iota (i + 1)) (indices (replicate (i + 1) true)))) (iota n)
-- ==
-- entry: filt
-- input { [[1,2,3],[4,5,6]] } output { [2i64,1i64] [2i32,10i32] }
entry filt (x: [][]i32) = unzip (map (\r -> let ys = filter (\v -> v % 2 == (if r[0] == 1 then 1 else 1)) r in (length ys, if length ys > 1 then ys[1] - ys[0] else ys[0] * 2)) x)
-- ==
-- entry: scans
-- input { [[1,2],[3,4]] } output { [[1,3],[3,7]] [[1,2],[4,6]] }
entry scans [n][m] (x: [n][m]i32) = (map (scan (+) 0) x, transpose (map (scan (+) 0) (transpose x)))
-- ==
-- entry: nestred
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] } output { [10i32,26i32] 36i32 [[3,7],[11,15]] }
entry nestred (x: [][][]i32) = (map (\y -> i32.sum (map i32.sum y)) x, i32.sum (flatten_3d x), map (map i32.sum) x)
-- ==
-- entry: argmin
-- input { [[3,1,2],[9,8,7]] } output { [1i64,2i64] }
entry argmin [n][m] (x: [n][m]i32) = map (\r -> (reduce (\(i, a) (j, b) -> if a <= b then (i, a) else (j, b)) (-1i64, i32.highest) (zip (iota m) r)).0) x
-- ==
-- entry: inhist
-- input { [[0i64,1i64,1i64],[2i64,2i64,0i64]] } output { [[1,2,0],[1,0,2]] }
entry inhist (x: [][]i64) = map (\r -> hist (+) 0i32 3 r (map (const 1) r)) x
-- ==
-- entry: inscatter
-- input { [[2i64,1i64,0i64],[0i64,1i64,2i64]] } output { [[2i64,1i64,0i64],[0i64,1i64,2i64]] }
entry inscatter [n][m] (x: [n][m]i64) = map (\r -> scatter (replicate m 0) r (iota m)) x
-- ==
-- entry: loops
-- input { [1,2,3] } output { [1,4,27] }
entry loops (xs: []i32) = map (\x -> loop a = 1 for _i < x do a * x) xs
-- ==
-- entry: whiles
-- input { [1,7,20] } output { [0,3,5] }
entry whiles (xs: []i32) = map (\x -> (loop (x, k) = (x, 0) while x > 1 do (x / 2, k + 1)).1 + (if x > 6 then 1 else 0)) xs
-- ==
-- entry: loopmap
-- input { [1,2,3] 3i32 } output { [8,16,24] }
entry loopmap (xs: []i32) (k: i32) = loop xs for _i < k do map (* 2) xs
-- ==
-- entry: inloop
-- input { [[1,2],[3,4]] } output { [[2,4],[6,8]] }
entry inloop (x: [][]i32) = map (\r -> loop r = copy r for i < length r do r with [i] = 2 * r[i]) x
-- ==
-- entry: cond
-- input { [1,2,3,4] true } output { [2,3,4,5] }
-- input { [1,2,3,4] false } output { [1,1,1,1] }
entry cond [n] (xs: [n]i32) (b: bool) = if b then map (+ 1) xs else map (const 1) xs
-- ==
-- entry: condin
-- input { [[1,2],[-3,4]] } output { [3i32,-12i32] }
entry condin (x: [][]i32) = map (\r -> if r[0] > 0 then i32.sum r else i32.product r) x
-- ==
-- entry: sizes
-- input { [3i64,0i64,2i64] } output { [3i64,0i64,1i64] 5i64 }
entry sizes (ns: []i64) = (map (\n -> i64.sum (map (\i -> i) (iota n))) ns, i64.sum (map (\n -> length (replicate n 1i8)) ns))
-- ==
-- entry: expand
-- input { [3i64,0i64,2i64] } output { [0i64,0i64,0i64,2i64,2i64] }
entry expand [n] (ns: [n]i64) =
  let s = scan (+) 0 ns
  let t = if n == 0 then 0 else last s
  let flags = scatter (replicate t 0) (map2 (\n e -> if n == 0 then -1 else e - n) ns s) (iota n)
  in scan i64.max 0 flags
-- ==
-- entry: zero
-- input { 0i64 3i64 } output { empty([0][3]i32) [0,0,0] empty([3][0]i32) 0i32 }
entry zero (n: i64) (m: i64) = let x = replicate n (replicate m 1i32) in (x, map i32.sum (transpose x), transpose x, i32.sum (flatten x))
-- ==
-- entry: zeros
-- input { empty([0][3]i32) } output { [0,0,0] empty([0]i32) empty([0][3]i32) }
entry zeros (x: [][3]i32) = (reduce (map2 (+)) (replicate 3 0) x, map i32.sum x, scan (map2 (+)) (replicate 3 0) x)
-- ==
-- entry: zeros3
-- input { empty([2][0]i32) } output { empty([0]i32) [0,0] empty([2][0]i32) }
entry zeros3 [m] (x: [2][m]i32) = (reduce (map2 (+)) (replicate m 0) x, map i32.sum x, map (scan (+) 0) x)
-- ==
-- entry: redvec
-- input { [[1,2],[3,4],[5,6]] } output { [9,12] [1,2] [5,6] }
entry redvec (x: [][2]i32) = (reduce (map2 (+)) [0,0] x, reduce (map2 i32.min) (rep i32.highest) x, reduce (map2 i32.max) (rep i32.lowest) x)
-- ==
-- entry: redmat
-- input { [[[1,1],[1,0]],[[1,1],[1,0]],[[1,1],[1,0]]] } output { [[3,2],[2,1]] [[[1,1],[1,0]],[[2,1],[1,1]],[[3,2],[2,1]]] }
def mm [n][m][k] (a: [n][m]i32) (b: [m][k]i32) = map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
entry redmat (x: [][2][2]i32) = (reduce mm [[1,0],[0,1]] x, scan mm [[1,0],[0,1]] x)
-- ==
-- entry: scantup
-- input { [1,2,3,4] [true,false,true,false] } output { [1,3,3,7] }
entry scantup [n] (xs: [n]i32) (fs: [n]bool) = (scan (\(a, f) (b, g) -> (if g then b else a + b, f || g)) (0, false) (zip xs fs)) |> map (.0)
-- ==
-- entry: mapmap
-- input { [1i64,2i64] [3i64,4i64,5i64] } output { [[3i64,4i64,5i64],[6i64,8i64,10i64]] }
entry mapmap (xs: []i64) (ys: []i64) = map (\x -> map (\y -> x * y) ys) xs
-- ==
-- entry: outer3
-- input { [1i64,2i64] } output { [[[1i64,2i64],[2i64,4i64]],[[2i64,4i64],[4i64,8i64]]] }
entry outer3 (xs: []i64) = map (\x -> map (\y -> map (\z -> x * y * z) xs) xs) xs
-- ==
-- entry: indirect
-- input { [[1,2],[3,4]] [1i64,0i64,1i64] } output { [[3,4],[1,2],[3,4]] [3,2] }
entry indirect [k] (x: [][]i32) (is: [k]i64) = (map (\i -> x[i]) is, map2 (\i j -> x[i, j]) (take 2 is) (sized 2 (drop (k - 2) (reverse is))) :> [2]i32)
-- ==
-- entry: slices
-- input { [1,2,3,4,5,6] } output { [[1,2],[2,3],[3,4],[4,5],[5,6]] [6i32,15i32] }
entry slices [n] (xs: [n]i32) = (map (\i -> xs[i:i + 2] :> [2]i32) (iota (n - 1)), map (\i -> i32.sum xs[3 * i:3 * i + 3]) (iota (n / 3)))
-- ==
-- entry: cat
-- input { [[1,2],[3,4]] } output { [[1,2,1,2],[3,4,3,4]] [[1,2],[3,4],[1,2],[3,4]] }
entry cat [n][m] (x: [n][m]i32) = (map (\r -> r ++ r) x, x ++ x)
-- ==
-- entry: revs
-- input { [[1,2],[3,4]] } output { [[4,3],[2,1]] }
entry revs (x: [][]i32) = map reverse (reverse x)
-- ==
-- entry: rbis
-- input { [[0i64,0i64],[1i64,0i64]] [[1,2],[3,4]] } output { [[3,0],[4,3]] }
entry rbis (is: [][]i64) (vs: [][]i32) = map2 (\i v -> reduce_by_index (replicate 2 0) (+) 0 i v) is vs
-- ==
-- entry: rbimin
-- input { [0i64,1i64,0i64] [5,3,2] } output { [2,3,2147483647] [7,3,0] [10,3,1] }
entry rbimin [n] (is: [n]i64) (vs: [n]i32) = (hist i32.min i32.highest 3 is vs, hist (+) 0 3 is vs, hist (*) 1 3 is vs)
-- ==
-- entry: rbi2
-- input { [0i64,1i64,5i64,-1i64] [0i64,1i64,0i64,0i64] [1,2,3,4] } output { [[1,0],[0,2]] [[[1],[0]],[[0],[2]]] }
entry rbi2 [n] (a: [n]i64) (b: [n]i64) (v: [n]i32) = (reduce_by_index_2d (replicate 2 (replicate 2 0)) (+) 0 (zip a b) v, reduce_by_index_3d (replicate 2 (replicate 2 (replicate 1 0))) (+) 0 (zip3 a b (map (const 0) a)) v)
-- ==
-- entry: scat3
-- input { [0i64,1i64] [1i64,0i64] [7,8] } output { [[[0],[7]],[[8],[0]]] }
entry scat3 [n] (a: [n]i64) (b: [n]i64) (v: [n]i32) = scatter_3d (replicate 2 (replicate 2 (replicate 1 0))) (zip3 a b (replicate n 0)) v
-- ==
-- entry: scatrows
-- input { [2i64,0i64,9i64] [[1,2],[3,4],[5,6]] } output { [[3,4],[0,0],[1,2]] }
entry scatrows [n] (is: [n]i64) (v: [n][2]i32) = scatter (replicate 3 [0,0]) is v
-- ==
-- entry: scattup
-- input { [1i64,0i64] [1,2] } output { [2,1] [false,false] }
entry scattup [n] (is: [n]i64) (v: [n]i32) = unzip (scatter (replicate 2 (0, true)) is (map (\x -> (x, false)) v))
-- ==
-- entry: parts
-- input { [1,2,3,4,5,6,7] } output { [2,4,6] [1,3,5,7] [3,6] [1,4,7] [2,5] }
entry parts (xs: []i32) = let (a, b) = partition (\x -> x % 2 == 0) xs let (c, d, e) = partition2 (\x -> x % 3 == 0) (\x -> x % 3 == 1) xs in (a, b, c, d, e)
-- ==
-- entry: filttup
-- input { [1,2,3] [true,false,true] } output { [1,3] [true,true] }
entry filttup [n] (xs: [n]i32) (b: [n]bool) = unzip (filter (.1) (zip xs b))
-- ==
-- entry: filtrows
-- input { [[1,2],[3,4]] } output { [[3,4]] }
entry filtrows (x: [][]i32) = filter (\r -> i32.sum r > 3) x
-- ==
-- entry: anyall
-- input { [1,2,3] } output { true false true false }
entry anyall (xs: []i32) = (any (> 2) xs, all (> 2) xs, or (map (== 1) xs), and (map (== 1) xs))
