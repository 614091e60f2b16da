-- Functions as values.
-- ==
-- entry: a
-- input { 3 4 } output { 7i32 12i32 -1i32 }
def ops = (\x y -> x + y : i32, \x y -> x * y : i32)
entry a (x: i32) (y: i32) = (ops.0 x y, ops.1 x y, (\f -> f x y) (i32.-))
-- ==
-- entry: c
-- input { 5 } output { 120i32 }
def compose 'a 'b 'c (f: b -> c) (g: a -> b) : a -> c = \x -> f (g x)
entry c (x: i32) = (compose (+ 20) (* 20)) x
-- ==
-- entry: d
-- input { 2 [1,2,3] } output { [3,4,5] [2,4,6] [1,0,-1] [-1,0,1] }
entry d (k: i32) (xs: []i32) = (map (+ k) xs, map (k *) xs, map (k -) xs, map (\x -> x - k) xs)
-- ==
-- entry: e
-- input { [1,2,3] } output { [6,12,18] }
entry e (xs: []i32) = let s = i32.sum xs let f = (* s) in map f xs
type^ ring = {add: i32 -> i32 -> i32, mul: i32 -> i32 -> i32, zero: i32}
-- ==
-- entry: f
-- input { [1,2,3] [4,5,6] } output { 32i32 9i32 }
entry f [n] (xs: [n]i32) (ys: [n]i32) =
  let dot (r: ring) = reduce r.add r.zero (map2 r.mul xs ys)
  in (dot {add = (+), mul = (*), zero = 0}, dot {add = i32.max, mul = (+), zero = i32.lowest})
-- ==
-- entry: g
-- input { [1,2,3] } output { [11,12,13] [10,20,30] }
entry g (xs: []i32) =
  let apply (f: i32 -> i32) = map f xs
  in (apply (+ 10), apply (* 10))
-- ==
-- entry: h
-- input { 10 } output { 1024i32 }
def pow 'a (n: i32) (f: a -> a) (x: a) = loop x for _i < n do f x
entry h (n: i32) = pow n (* 2) 1
-- ==
-- entry: i
-- input { 4 } output { 24i32 }
entry i (n: i32) = let (f, x) = ((\y -> y * 3), n + 4) in f x
-- ==
-- entry: j
-- input { [[1,2],[3,4]] } output { [3,7] [[2,3],[4,5]] }
def map_map 'a 'b [n] [m] (f: a -> b) (xss: [n][m]a) : [n][m]b = map (map f) xss
entry j (xss: [][]i32) = (map (reduce (+) 0) xss, map_map (+ 1) xss)
-- ==
-- entry: k
-- input { 3 } output { 10i32 }
entry k (x: i32) = let twice f x = f (f x) let add n m = n + m in twice (add 2) (twice (add 1) x) + 1
-- ==
-- entry: l
-- input { [3,1,2] } output { [1,2,3] [3,2,1] }
def insert [n] 'a (lte: a -> a -> bool) (xs: [n]a) : [n]a =
  let xs' = copy xs
  in loop xs' for i < n do
     let (_, xs'') = loop (j, xs') = (i, xs') while j > 0 && !(xs'[j-1] `lte` xs'[j]) do
        let t = copy xs'[j-1] let u = copy xs'[j]
        in (j - 1, xs' with [j-1] = u with [j] = t)
     in xs''
entry l (xs: []i32) = (insert (<=) xs, insert (>=) xs)
-- ==
-- entry: m
-- input { 7 } output { 3i32 }
entry m (x: i32) = x |> (+ 1) |> (/ 2) |> (\y -> y - 1)
-- ==
-- entry: n
-- input { 7 } output { 16i32 15i32 }
entry n (x: i32) = (((+ 1) >-> (* 2)) x, ((+ 1) <-< (* 2)) x)
-- ==
-- entry: o
-- input { [1] } output { [3] }
entry o (xs: []i32) = map (uncurry (+)) (zip xs (map (+ 1) xs))
-- ==
-- entry: p
-- input { 2 3 } output { -1i32 1i32 5i32 2i32 3i32 2i32 }
entry p (x: i32) (y: i32) = (curry (\(a, b) -> a - b) x y, flip (-) x y, uncurry (+) (x, y), const x y, (swap (x, y)).0, id x)
def (+^) (x: i32) (y: i32) = x * 10 + y
def (<+>) 'a 'b (f: a) (g: b) = (f, g)
-- ==
-- entry: q
-- input { 1 2 3 } output { 123i32 1i32 2i32 }
entry q (x: i32) y z = let (a, b) = x <+> y in (x +^ y +^ z, a, b : i32)
-- ==
-- entry: r
-- input { 1 } output { 4i32 }
entry r (x: i32) = let f = \(a, b) {c, d} -> a + b + c + d in f (x, x) {c = x, d = x}
-- ==
-- entry: s
-- input { [1,2,3,4] } output { [[1,2],[3,4]] 2i64 }
entry s [n] (xs: [n]i32) = let m = n / 2 let f (ys: []i32) = unflatten (ys :> [m*2]i32) in (f xs, m)
-- ==
-- entry: t
-- input { 2i64 3i64 } output { [[0i64,1i64,2i64],[1i64,2i64,3i64]] }
entry t (n: i64) (m: i64) = let mk f = tabulate_2d n m f in mk (+)
-- ==
-- entry: u
-- input { 5 } output { 20i32 }
def mk_adder (x: i32) = \y -> \z -> x + y + z
entry u (x: i32) = let a = mk_adder x let b = a (x + 1) in b (x + 4)
-- ==
-- entry: v
-- input { [1,2,3] } output { [1,3,6] [1,2,6] }
entry v (xs: []i32) = let sc op (ne: i32) = scan op ne xs in (sc (+) 0, sc (*) 1)
