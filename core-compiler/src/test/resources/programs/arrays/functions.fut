-- Functions on arrays, one after the other.
-- ==
-- entry: flat
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] } output { [1,2,3,4,5,6,7,8] [[1,2],[3,4],[5,6],[7,8]] }
entry flat [a][b][c] (x: [a][b][c]i32) = (flatten_3d x, flatten x)
-- ==
-- entry: flat4
-- input { [[[[1],[2]],[[3],[4]]]] } output { [1,2,3,4] }
entry flat4 [a][b][c][d] (x: [a][b][c][d]i32) = flatten_4d x
-- ==
-- entry: unflat
-- input { 2i64 3i64 [1,2,3,4,5,6] } output { [[1,2,3],[4,5,6]] }
-- input { 2i64 2i64 [1,2,3,4,5,6] } error: .
entry unflat (n: i64) (m: i64) (x: []i32) = unflatten (sized (n*m) x)
-- ==
-- entry: unflat3
-- input { 2i64 1i64 3i64 [1,2,3,4,5,6] } output { [[[1,2,3]],[[4,5,6]]] }
entry unflat3 (n: i64) (m: i64) (k: i64) (x: []i32) = unflatten_3d (x :> [n*m*k]i32)
-- ==
-- entry: unflat4
-- input { 2i64 1i64 3i64 1i64 [1,2,3,4,5,6] } output { [[[[1],[2],[3]]],[[[4],[5],[6]]]] }
entry unflat4 (n: i64) (m: i64) (k: i64) (l: i64) (x: []i32) = unflatten_4d (x :> [n*m*k*l]i32)
-- ==
-- entry: rot
-- input { 1i64 [1,2,3] } output { [2,3,1] }
-- input { -1i64 [1,2,3] } output { [3,1,2] }
-- input { 5i64 [1,2,3] } output { [3,1,2] }
-- input { 5i64 empty([0]i32) } output { empty([0]i32) }
entry rot (k: i64) (x: []i32) = rotate k x
-- ==
-- entry: rot2
-- input { 1i64 1i64 [[1,2,3],[4,5,6]] } output { [[5,6,4],[2,3,1]] }
entry rot2 (k: i64) (l: i64) (x: [][]i32) = rotate k (map (rotate l) x)
-- ==
-- entry: rev
-- input { [[1,2],[3,4]] } output { [[3,4],[1,2]] [[2,1],[4,3]] }
entry rev (x: [][]i32) = (reverse x, map reverse x)
-- ==
-- entry: sl
-- input { [0,1,2,3,4,5,6,7,8,9] } output { [2,3,4] [0,2,4,6,8] [9,8,7,6,5,4,3,2,1,0] [8,6,4] [7,8,9] [0,1,2] }
entry sl [n] (x: [n]i32) = (x[2:5], x[::2], x[::-1], x[8:3:-2], x[n-3:], x[:3])
-- ==
-- entry: sl2
-- input { [[1,2,3],[4,5,6],[7,8,9]] } output { [[2,3],[5,6]] [3,6,9] [4,5,6] [[3,2,1],[6,5,4],[9,8,7]] [2,5] }
entry sl2 (x: [][]i32) = (x[0:2,1:3], x[:,2], x[1], x[:,::-1], x[0:2,1])
-- ==
-- entry: oob
-- input { 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { -1i64 } error: Index \[-1\] out of bounds for array of shape \[3\]
-- input { 2i64 } output { 3i32 }
entry oob (i: i64) = ([1,2,3] : [3]i32)[i]
-- ==
-- entry: oob2
-- input { 1i64 2i64 [[1,2],[3,4]] } error: Index \[1, 2\] out of bounds for array of shape \[2\]\[2\]
-- input { 2i64 1i64 [[1,2],[3,4]] } error: Index \[2, 1\] out of bounds for array of shape \[2\]\[2\]
entry oob2 (i: i64) (j: i64) (x: [][]i32) = x[i,j]
-- ==
-- entry: ooslice
-- input { 1i64 4i64 [1,2,3] } error: Index \[1:4\] out of bounds for array of shape \[3\]
-- input { 2i64 1i64 [1,2,3] } error: Index \[2:1\] out of bounds for array of shape \[3\]
-- input { 3i64 3i64 [1,2,3] } output { empty([0]i32) }
-- input { 0i64 0i64 [1,2,3] } output { empty([0]i32) }
entry ooslice (i: i64) (j: i64) (x: []i32) = x[i:j]
-- ==
-- entry: itk
-- input { 3i64 [1,2,3,4,5] } output { [1,2,3] [4,5] }
-- input { 0i64 [1,2] } output { empty([0]i32) [1,2] }
-- input { 3i64 [1,2] } error: .
-- input { -1i64 [1,2] } error: .
entry itk (k: i64) (x: []i32) = (take k x, drop k x)
-- ==
-- entry: spl
-- input { 2i64 [1,2,3,4,5] } output { [1,2] [3,4,5] }
entry spl [n] (k: i64) (x: [n]i32) : ([]i32, []i32) = split (x :> [k + (n - k)]i32)
-- ==
-- entry: ht
-- input { [1,2,3] } output { 1i32 3i32 [2,3] [1,2] }
-- input { empty([0]i32) } error: .
entry ht (x: []i32) = (head x, last x, tail x, init x)
-- ==
-- entry: cc
-- input { [1,2] [3] } output { [1,2,3] [3,1,2,1,2] }
-- input { empty([0]i32) [3] } output { [3] [3] }
entry cc (x: []i32) (y: []i32) = (x ++ y, y ++ x ++ concat x [])
-- ==
-- entry: cc2
-- input { [[1,2]] [[3,4],[5,6]] } output { [[1,2],[3,4],[5,6]] }
-- input { empty([0][2]i32) empty([0][2]i32) } output { empty([0][2]i32) }
entry cc2 [n][m][k] (x: [n][k]i32) (y: [m][k]i32) = x ++ y
-- ==
-- entry: tr
-- input { [[1,2,3],[4,5,6]] } output { [[1,4],[2,5],[3,6]] }
-- input { empty([0][3]i32) } output { empty([3][0]i32) }
-- input { empty([3][0]i32) } output { empty([0][3]i32) }
entry tr (x: [][]i32) = transpose x
-- ==
-- entry: tab
-- input { 2i64 3i64 } output { [0i64,1i64] [[0i64,1i64,2i64],[10i64,11i64,12i64]] [[[0i64,1i64,2i64],[10i64,11i64,12i64]],[[100i64,101i64,102i64],[110i64,111i64,112i64]]] }
entry tab (n: i64) (m: i64) = (tabulate n id, tabulate_2d n m (\i j -> 10*i+j), tabulate_3d n n m (\k i j -> 100*k+10*i+j))
-- ==
-- entry: reps
-- input { 2i64 } output { [[7i32,7i32,7i32],[7i32,7i32,7i32]] [true,true] [0i64,1i64] }
-- input { 0i64 } output { empty([0][3]i32) empty([0]bool) empty([0]i64) }
-- input { -1i64 } error: .
entry reps (n: i64) = (replicate n (replicate 3 7i32), replicate n true, iota n)
-- ==
-- entry: rep3
-- input {} output { [1i32,1i32,1i32] }
entry rep3 : [3]i32 = rep 1
-- ==
-- entry: inds
-- input { [5,5,5] } output { [0i64,1i64,2i64] 3i64 false }
-- input { empty([0]i32) } output { empty([0]i64) 0i64 true }
entry inds (x: []i32) = (indices x, length x, null x)
-- ==
-- entry: zips
-- input { [1,2] [true,false] } output { [2,2] [true,false] [1,2] [1,2] [true,false] }
entry zips [n] (a: [n]i32) (b: [n]bool) =
  let xs = zip3 a b a
  let (p,q,r) = unzip3 xs
  let (s,t) = unzip (zip a b)
  in (map (\(x,y,_) -> if y then x+1 else x) xs, q, r, s, t)
-- ==
-- entry: zips45
-- input { [1,2] } output { [5,10] [4,8] [1,2] [1,2] }
entry zips45 [n] (a: [n]i32) =
  let xs = zip5 a a a a a
  let ys = zip4 a a a a
  let (_,b,_,_,_) = unzip5 xs
  let (_,_,_,d) = unzip4 ys
  in (map (\(a,b,c,d,e) -> a+b+c+d+e) xs, map (\(a,b,c,d) -> a+b+c+d) ys, b, d)
-- ==
-- entry: maps
-- input { [1,2] } output { [1,2] [2,4] [3,6] [4,8] [5,10] }
entry maps (a: []i32) = (map1 id a, map2 (+) a a, map3 (\x y z -> x+y+z) a a a, map4 (\x y z w -> x+y+z+w) a a a a, map5 (\x y z w v -> x+y+z+w+v) a a a a a)
-- ==
-- entry: pck
-- input { [true,false] [1,2] [3,4] } output { [1,4] }
entry pck [n] (bs: [n]bool) (a: [n]i32) (b: [n]i32) = pick bs a b
-- ==
-- entry: rngs
-- input { 1i32 5i32 } output { [1,2,3,4,5] [1,2,3,4] [5,4,3,2] [1,3,5] [5,3,1] [1,3] }
entry rngs (a: i32) (b: i32) = (a...b, a..<b, b..>a, a..3...b, b..3...a, a..3..<b)
-- ==
-- entry: badrng
-- input { 5i32 1i32 } error: .
entry badrng (a: i32) (b: i32) = a..(a+1)...b
-- ==
-- entry: zerostep
-- input { 5i32 1i32 } error: .
entry zerostep (a: i32) (b: i32) = a..a...b
-- ==
-- entry: emptyrng
-- input { 1i64 } output { empty([0]i64) empty([0]i64) }
entry emptyrng (a: i64) = (a..<a, a..>a)
-- ==
-- entry: u8rng
-- input { 250u8 } output { [250u8,251u8,252u8,253u8,254u8,255u8] }
entry u8rng (a: u8) = a...255
-- ==
-- entry: mk
-- input { } output { [[1,2],[3,4]] [[1.5f64,2f64]] [[[true]]] [104u8,105u8] }
entry mk = ([[1,2],[3,4]] : [][]i32, [[1.5,2]] : [][]f64, [[[true]]], "hi")
-- ==
-- entry: empt
-- input { } output { empty([0]i32) empty([0]i32) empty([2][0]i32) }
entry empt = ([] : [0]i32, [] : []i32, [[],[]] : [2][0]i32)
-- ==
-- entry: flds
-- input { [1,2,3] } output { -6i32 2i32 }
entry flds (x: []i32) = (foldl (-) 0 x, foldr (-) 0 x)
-- ==
-- entry: eqarr
-- input { [1,2] [1,2] } output { true false }
-- input { [1,2] [1,3] } output { false true }
entry eqarr [n] (x: [n]i32) (y: [n]i32) = (x == y, x != y)
-- ==
-- entry: manif
-- input { [[1,2],[3,4]] } output { [[1,3],[2,4]] [[1,2],[3,4]] }
entry manif (x: [][]i32) = (manifest (transpose x), copy x)
