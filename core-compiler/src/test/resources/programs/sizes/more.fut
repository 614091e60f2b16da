-- Sizes in modules, arguments and results of functions.
module type img = { type img [w][h] val mk : (w: i64) -> (h: i64) -> img [w][h] val get [w][h] : img [w][h] -> (i64, i64) val px [w][h] : img [w][h] -> [w][h]i32 }
module img : img = { type img [w][h] = {d: [w][h]i32} def mk w h = {d = replicate w (replicate h 1)} def get [w][h] (_: img [w][h]) = (w, h) def px [w][h] (i: img [w][h]) = i.d }
-- ==
-- entry: a
-- input { 2i64 3i64 } output { 2i64 3i64 [[1,1,1],[1,1,1]] }
entry a (w: i64) (h: i64) = let i = img.mk w h let (x, y) = img.get i in (x, y, img.px i)
-- ==
-- entry: b
-- input { 3i64 } output { [0i64,1i64,2i64] }
def withn (n: i64) (f: (m: i64) -> [m]i64) : [n]i64 = f n
entry b (n: i64) = withn n (\m -> iota m)
-- ==
-- entry: c
-- input { 3i64 } output { 3i64 }
def app (f: i64 -> []i64) (n: i64) = length (f n)
entry c (n: i64) = app iota n
-- ==
-- entry: d
-- input { [1,2,3] } output { [1,2,3] [1,2,3] }
def dup 'a (x: a) : (a, a) = (x, x)
entry d (xs: []i32) = dup xs
-- ==
-- entry: e
-- input { [[1,2],[3,4]] } output { [[1,2],[3,4],[1,2],[3,4]] [[1,2,1,2],[3,4,3,4]] }
entry e [n][m] (x: [n][m]i32) = (concat x x, map2 concat x x)
-- ==
-- entry: f
-- input { 10i64 } output { [0i64,3i64,6i64,9i64] }
entry f (n: i64) = filter (\x -> x % 3 == 0) (iota n)
-- ==
-- entry: g
-- input { [1f32,2f32] } output { 2.236068f32 [0.4472136f32,0.8944272f32] }
def norm (v: []f32) = f32.sqrt (f32.sum (map (\x -> x * x) v))
def unit [n] (v: [n]f32) : [n]f32 = let l = norm v in map (/ l) v
entry g (v: []f32) = (norm v, unit v)
-- ==
-- entry: h
-- input { [3i64,1i64,2i64] } output { [[0i64,1i64,2i64],[0i64,0i64,0i64],[0i64,1i64,0i64]] }
entry h [k] (ns: [k]i64) = map (\n -> let r = replicate 3 0 in loop r for i < n do r with [i] = i) ns
-- ==
-- entry: i
-- input { 4i64 } output { [[1i32,0i32,0i32,0i32],[1i32,1i32,0i32,0i32],[1i32,1i32,1i32,0i32],[1i32,1i32,1i32,1i32]] }
entry i (n: i64) = tabulate_2d n n (\i j -> i32.bool (j <= i))
-- ==
-- entry: j
-- input { [1,2,3,4,5,6] } output { [[1,4],[2,5],[3,6]] }
entry j [n] (xs: [n]i32) = let m = n / 2 let ys = xs :> [2 * m]i32 in transpose (unflatten ys :> [2][m]i32)
-- ==
-- entry: k
-- input { [1,2,3] [4,5] } output { 32i32 }
entry k (xs: []i32) (ys: []i32) = let n = i64.min (length xs) (length ys) in i32.sum (map2 (*) (take n xs) (take n ys)) + 18
-- ==
-- entry: l
-- input { } output { [[1i32,2i32,3i32],[4i32,5i32,6i32]] [[1i32],[2i32]] }
def lit : [2][3]i32 = [[1,2,3],[4,5,6]]
entry l = (lit, [[1],[2]])
-- ==
-- entry: m
-- input { 2i64 [1,2,3,4] } output { [1,2] [3,4] }
entry m [n] (k: i64) (xs: [n]i32) = let (a, b) = split (xs :> [k + (n - k)]i32) in (a, b)
-- ==
-- entry: nn
-- input { [1,2,3,4] } output { [[1,2],[3,4]] }
def chunk [n] 'a (k: i64) (xs: [n]a) : [][]a = let m = n / k in unflatten (xs :> [m * k]a)
entry nn (xs: []i32) = chunk 2 xs
-- ==
-- entry: o
-- input { [1,2,3,4] } output { [10i32] }
entry o (xs: []i32) = let rec_sum (ys: []i32) = loop ys while length ys > 1 do let h = length ys / 2 in map2 (+) (ys[:h] :> [h]i32) (ys[h:2 * h] :> [h]i32) ++ ys[2 * h:] in rec_sum xs
-- ==
-- entry: p
-- input { 3i64 } output { [[0i64,0i64,0i64],[1i64,1i64,1i64],[2i64,2i64,2i64]] }
entry p (n: i64) = map (\i -> replicate n i) (iota n)
-- ==
-- entry: q
-- input { 2i64 } output { [1i64, 2i64] [2i64,4i64] }
entry q (n: i64) = let f (k: i64) = map (+ k) (iota n) let g = \xs -> map (* 2) xs in (f 1, g (f 1))
-- ==
-- entry: r
-- input { [5,1,4] } output { 5i32 0i64 1i32 1i64 }
def argf [n] (better: i32 -> i32 -> bool) (xs: [n]i32) : (i32, i64) =
  reduce_comm (\(a, i) (b, j) -> if better a b || (a == b && i < j) then (a, i) else (b, j)) (xs[0], 0) (zip xs (indices xs))
entry r (xs: []i32) = let (a, b) = argf (>) xs let (c, d) = argf (<) xs in (a, b, c, d)
-- ==
-- entry: s
-- input { [[1,2],[3,4]] } output { [[[1,1],[2,2]],[[3,3],[4,4]]] }
entry s (x: [][]i32) = map (map (replicate 2)) x
-- ==
-- entry: t
-- input { 3i64 } output { 3i64 0i64 }
type nat = {n: i64}
def succ (x: nat) : nat = {n = x.n + 1}
def zero : nat = {n = 0}
entry t (k: i64) = ((iterate (i32.i64 k) succ zero).n, zero.n)
-- ==
-- entry: u
-- input { [1,2,3,4] } output { [2,4] [1,3] }
entry u (xs: []i32) = unzip (map (\i -> (xs[2 * i + 1], xs[2 * i])) (iota (length xs / 2)))
-- ==
-- entry: v
-- input { [[1,2,3],[4,5,6]] [0i64,2i64] } output { [[1,3],[4,6]] }
entry v [n][m][k] (x: [n][m]i32) (cs: [k]i64) : [n][k]i32 = map (\r -> map (\c -> r[c]) cs) x
-- ==
-- entry: w
-- input { [1,2,3] } output { [6i64] }
entry w (xs: []i32) : [1]i64 = [i64.i32 (i32.sum xs)]
-- ==
-- entry: x
-- input { true } output { [1,2,3] }
-- input { false } output { [4,5,6] }
entry x (b: bool) : [3]i32 = if b then [1,2,3] else [4,5,6]
