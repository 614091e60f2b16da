-- Sizes as programs use them.
-- ==
-- entry: ifexist
-- input { true [1,2,3] } output { [1] }
-- input { false [1,2,3] } output { [1,2,3,9] }
entry ifexist (b: bool) (xs: []i32) = if b then filter (< 2) xs else xs ++ [9]
-- ==
-- entry: ifexist2
-- input { true [1,2,3] } output { 1i64 [1] }
entry ifexist2 (b: bool) (xs: []i32) = let [k] (ys: [k]i32) = if b then filter (< 2) xs else xs in (k, ys)
-- ==
-- entry: loopgrow
-- input { 3i64 } output { [0i64,0i64,1i64,0i64,1i64,2i64] }
entry loopgrow (n: i64) : []i64 = loop xs = [] for i < n do xs ++ iota (i + 1)
-- ==
-- entry: loopgrow2
-- input { 3i64 } output { [1,1,1,1,1,1,1,1] }
entry loopgrow2 (n: i64) : []i32 = loop xs = [1] for _i < n do xs ++ xs
-- ==
-- entry: loopshrink
-- input { [5,3,8,1] } output { [5] 2i32 }
entry loopshrink (xs: []i32) = loop (xs, k) = (xs, 0i32) while length xs > 1 do (xs[:length xs / 2], k + 1)
-- ==
-- entry: looptwo
-- input { 2i64 } output { [0i64,1i64] [9,9,9] }
entry looptwo (n: i64) = loop (a, b) = ([], [9]) for i < n do (a ++ [i], b ++ [9])
-- ==
-- entry: matchexist
-- input { 0 } output { [1] }
-- input { 1 } output { [1,2] }
-- input { 7 } output { empty([0]i32) }
entry matchexist (x: i32) : []i32 = match x case 0 -> [1] case 1 -> [1,2] case _ -> []
-- ==
-- entry: fex
-- input { 3i64 [true,false,true] } output { [0i64,2i64] }
entry fex (n: i64) (bs: []bool) = let is = iota n let bs = bs :> [n]bool in map (.0) (filter (.1) (zip is bs))
-- ==
-- entry: size1
-- input { [1,2,3] } output { [2,3] [1,2] [1,2,3,0] }
def tl [n] (xs: [n + 1]i32) : [n]i32 = tail xs :> [n]i32
entry size1 [n] (xs: [n]i32) = let ys = xs :> [n - 1 + 1]i32 in (tl ys, init ys, ys ++ [0])
-- ==
-- entry: size2
-- input { 2i64 3i64 } output { [[0i64,1i64,2i64],[3i64,4i64,5i64]] }
entry size2 (n: i64) (m: i64) : [n][m]i64 = unflatten (iota (n * m))
-- ==
-- entry: size3
-- input { [[1,2],[3,4]] } output { [1,2,3,4] [1,3,2,4] }
entry size3 [n] [m] (xs: [n][m]i32) : ([n * m]i32, [m * n]i32) = (flatten xs, flatten (transpose xs))
-- ==
-- entry: size4
-- input { 3i64 } output { 6i64 }
def f (n: i64) (_: [n * 2]i64) = n * 2
entry size4 (n: i64) = f n (iota (n * 2))
-- ==
-- entry: anon
-- input { [1,2] [3,4,5] } output { 5i64 }
def sumlen (xs: []i32) (ys: []i32) = length xs + length ys
entry anon (xs: []i32) (ys: []i32) = sumlen xs ys
-- ==
-- entry: rect
-- input { [[1,2,3],[4,5,6]] } output { 21i32 [5,7,9] }
type mat [n] [m] = [n][m]i32
def total [n] [m] (x: mat [n] [m]) = i32.sum (map i32.sum x)
def colsum [n] [m] (x: mat [n] [m]) : [m]i32 = map i32.sum (transpose x)
entry rect (x: [][]i32) = (total x, colsum x)
-- ==
-- entry: recsize
-- input { [1,2,3] } output { 3i64 [1,2,3] }
type~ box = {xs: []i32, tag: i64}
def mkbox (xs: []i32) : box = {xs, tag = length xs}
entry recsize (xs: []i32) = let b = mkbox xs in (b.tag, b.xs)
-- ==
-- entry: recsize2
-- input { [1,2,3] } output { [2,4,6] }
type sbox [n] = {xs: [n]i32, ys: [n]i32}
def addbox [n] (b: sbox [n]) = map2 (+) b.xs b.ys
entry recsize2 [n] (xs: [n]i32) = addbox {xs, ys = xs}
-- ==
-- entry: hofsize
-- input { [[1,2],[3,4]] } output { [[2,1],[4,3]] [[1,3],[3,7]] }
def onrows [n] [m] 'a 'b (f: [m]a -> [m]b) (xs: [n][m]a) : [n][m]b = map f xs
entry hofsize (xs: [][]i32) = (onrows reverse xs, onrows (scan (+) 0) xs)
-- ==
-- entry: hofexist
-- input { [1,2,3,4] } output { [2,4] 2i64 }
def apply [n] 'a 'b (f: [n]a -> b) (x: [n]a) : b = f x
entry hofexist (xs: []i32) = let ys = filter (\x -> x % 2 == 0) xs in (ys, apply length ys)
-- ==
-- entry: pipe
-- input { [1,2,3,4] } output { 20i32 }
entry pipe (xs: []i32) = xs |> filter (> 1) |> map (+ 1) |> filter (> 2) |> map (\x -> x * 1) |> i32.sum |> (+ 8)
-- ==
-- entry: pipe2
-- input { [3,1,2] } output { [3,1,2] 6i32 }
entry pipe2 (xs: []i32) = let f = map (+ 1) >-> map (\x -> x - 1) in (f xs, (map i64.i32 >-> i64.sum >-> i32.i64) xs)
-- ==
-- entry: nestsize
-- input { 2i64 } output { [[0i64,1i64],[0i64,1i64]] [4i64,4i64] }
entry nestsize (n: i64) = (map (\_ -> iota n) (iota n), map (\i -> length (iota (n + 2)) + i * 0) (iota n))
-- ==
-- entry: letsize
-- input { [1,2,3,4] } output { [[1,2],[3,4]] }
entry letsize [n] (xs: [n]i32) = let m = n / 2 in unflatten (take (2 * m) xs :> [m * 2]i32) :> [m][2]i32
-- ==
-- entry: coerce2
-- input { [[1,2],[3,4]] 2i64 } output { [[1,2],[3,4]] }
-- input { [[1,2],[3,4]] 3i64 } error: shape
entry coerce2 (xs: [][]i32) (n: i64) = xs :> [n][n]i32
-- ==
-- entry: coerce3
-- input { [1,2] [3,4] } output { [4,6] }
-- input { [1,2] [3] } error: .
entry coerce3 [n] (xs: [n]i32) (ys: []i32) = map2 (+) xs (ys :> [n]i32)
-- ==
-- entry: zipsl
-- input { [1,2,3,4] } output { [3,5,7] }
entry zipsl [n] (xs: [n]i32) = map2 (+) (xs[1:] :> [n - 1]i32) (xs[:n - 1])
-- ==
-- entry: zipsl2
-- input { [1,2,3,4] } output { [3,5,7] }
entry zipsl2 [n] (xs: [n]i32) = map2 (+) (tail xs) (init xs)
-- ==
-- entry: dropt
-- input { [1,2,3,4] } output { [4,6] }
entry dropt [n] (xs: [n]i32) = let k = n / 2 in map2 (+) (take k xs) (drop k xs :> [k]i32)
-- ==
-- entry: lam
-- input { [1,2,3] } output { [1,2,3] 3i64 }
entry lam (xs: []i32) = let f = \(ys: []i32) -> (ys, length ys) in f xs
-- ==
-- entry: lam2
-- input { [1,2,3] } output { [4,5,6] }
entry lam2 [n] (xs: [n]i32) = (\(ys: [n]i32) (zs: [n]i32) -> map2 (+) ys zs) xs (map (const 3) xs)
-- ==
-- entry: locpoly
-- input { [1,2,3] } output { [3,2,1] 2i64 }
entry locpoly (xs: []i32) = let rev [n] 't (ys: [n]t) : [n]t = ys[::-1] let k = length (rev [true, false]) in (rev xs, k)
-- ==
-- entry: tup
-- input { [1,2] [3,4,5] } output { [3,4,5] [1,2] }
entry tup [n] [m] (xs: [n]i32) (ys: [m]i32) : ([m]i32, [n]i32) = let (a, b) = (ys, xs) in (a, b)
-- ==
-- entry: part
-- input { [1,2,3,4,5] } output { [2,4] [1,3,5] 5i64 }
entry part (xs: []i32) = let (a, b) = partition (\x -> x % 2 == 0) xs in (a, b, length (a ++ b))
-- ==
-- entry: nestfilter
-- input { [[1,2],[3,4]] } output { [1i64,1i64] [2,4] }
entry nestfilter (xs: [][]i32) = unzip (map (\r -> let e = filter (\x -> x % 2 == 0) r in (length e, i32.sum e)) xs)
-- ==
-- entry: expfun
-- input { [3i64,2i64] } output { [0i64,1i64,2i64,0i64,1i64] }
def expand 'a 'b [n] (sz: a -> i64) (get: a -> i64 -> b) (xs: [n]a) : []b =
  let szs = map sz xs
  let offs = map2 (-) (scan (+) 0 szs) szs
  let tot = i64.sum szs
  let seg = scan i64.max 0 (scatter (replicate tot 0) (map2 (\o s -> if s > 0 then o else -1) offs szs) (iota n))
  in map2 (\i s -> get xs[s] (i - offs[s])) (iota tot) seg
entry expfun (xs: []i64) = expand id (\_ i -> i) xs
-- ==
-- entry: swapl
-- input { [1,2] [3] } output { [1,2] [3] }
entry swapl (a: []i32) (b: []i32) = loop (x, y) = (a, b) for _i < 2i32 do (y, x)
-- ==
-- entry: whilegrow
-- input { [1] } output { [1,1,1,1,1,1,1,1] }
entry whilegrow (xs: []i32) = loop xs while length xs < 6 do xs ++ xs
-- ==
-- entry: formatrix
-- input { [[1,2],[3,4]] 2 } output { [[7,10],[15,22]] }
def mm [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 = map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
entry formatrix [n] (a: [n][n]i32) (k: i32) = loop r = a for _i < k - 1 do mm r a
