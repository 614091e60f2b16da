-- Functions, sizes and idioms.
def comp [n] (xs: [n]i32) = (map (+1) >-> filter (> 2)) xs
def comp2 (xs: []i32) = xs |> filter (> 2) |> map (* 2) |> i32.sum
entry usecomp2 (xs: []i32) = comp2 xs
type ctx [n] = {xs: [n]i32, k: i32}
def mkctx [n] (xs: [n]i32) : ctx [n] = {xs, k = 3}
def usectx [n] (c: ctx [n]) : [n]i32 = map (+ c.k) c.xs
type~ dyn = ?[n].{a: [n]i32, b: [n]f32}
def mkdyn (k: i64) : dyn = {a = replicate k 0, b = replicate k 0}
def usedyn (d: dyn) = map2 (\x y -> f32.i32 x + y) d.a d.b
entry ud = usedyn (mkdyn 3)
def localpoly [n] (xs: [n]i32) = let f [m] 't (ys: [m]t) : i64 = m in f xs + f [true]
def redt [n] (xs: [n]f32) = reduce (\(a, b) (c, d) -> (a + c, f32.max b d)) (0, -f32.inf) (map (\x -> (x, x)) xs)
def argmax [n] (xs: [n]f32) = reduce_comm (\(i, x) (j, y) -> if x > y then (i, x) else (j, y)) (-1, -f32.inf) (zip (iota n) xs)
def fold (xs: []i32) = foldl (\acc x -> acc * 2 + x) 0 xs
def dep (n: i64) (xs: [n]i32) = xs[n-1]
def half [n] (xs: [n]i32) : ([n/2]i32, [n - n/2]i32) = (take (n/2) xs, drop (n/2) xs)
def f (n: i64) = n * 2
def calls (n: i64) : [f n]i32 = replicate (f n) 1
def idx (xs: []i32) (i: i32) = xs[i] + xs[u8.i32 i]
def tabs = tabulate 3 (\i -> i32.i64 i * 2)
def mr = map (replicate 3) [1i32, 2]
def cst : []i32 = [1, 2, 3]
def usecst = map (+1) cst
def locop (x: f32) (y: f32) = f32.(sqrt (x * x + y * y))
def conv (x: i32) = (u8.i32 x, i32.bool (x > 3), bool.i32 x, f32.i32 x, i64.f32 2.5)
def let_ (x: i32) = let _ = x + 1 let () = () in x
def lamret = map (\(x: i32): i32 -> x) [1]
def un3 [n] (xs: [n](i32, f32, bool)) = let (a, b, c) = unzip3 xs in (a, zip b c)
def hidden_size (b: bool) (n: i64) = let m = if b then n else n + 1 in iota m
def sorted [n] (xs: [n]i32) = loop (ys, zs) = (copy xs, copy xs) for i < i32.i64 n - 1 do (zs, ys)
def rec_loop = loop {a, b} = {a = 1i32, b = 2i32} for i < 10i32 do {a = b, b = a + b}
def whiletup (x: i32) = loop (a, b) = (x, 0) while a > 0 do (a - b, b + 1)
def acc_fun (f: i32 -> i32) (x: i32) = f (f x)
def uses = acc_fun (\x -> x + 1) 3 + acc_fun (+ 2) 3 + acc_fun (let k = 3 in (* k)) 2
def ret2 (x: i32) = (\y z -> x + y * z)
def ur = ret2 1 2 3
def tuple_of_funs = let (f, g) = ((+ 1i32), (* 2i32)) in f (g 3)
def rec_of_funs = let r = {f = \(x: i32) -> x, g = 2i32} in r.f r.g
def fun_arg_rec (r: {f: i32 -> i32, x: i32}) = r.f r.x
def ufar = fun_arg_rec {f = (+ 1), x = 2}
def oplus 'a (add: a -> a -> a) (x: a) = x `add` x
def uop = oplus (+) 2i32
def (+++) [n][m] 't (a: [n]t) (b: [m]t) = a ++ b
def up = [1i32] +++ [2] +++ [3]
def shadow (n: i64) = let n = n + 1 let xs = iota n let n = 3i64 in (xs, n)
def assertn [n][m] (xs: [n]i32) (ys: [m]i32) = assert (n == m) (zip xs (ys :> [n]i32))
def fl [n][m] (xss: [n][m]i32) (k: i64) : [k]i32 = flatten xss :> [k]i32
def matmulT [n][m] (a: [n][m]f64) = map (\x -> map (\y -> f64.sum (map2 (*) x y)) a) a
def stencil [n] (xs: [n]f32) = tabulate n (\i -> if i == 0 || i == n - 1 then xs[i] else (xs[i-1] + xs[i] + xs[i+1]) / 3)
def sumrows [n][m] (xss: [n][m]i32) = map (reduce (+) 0) xss
def sgmscan [n] 't (op: t -> t -> t) (ne: t) (arr: [n](t, bool)) : [n]t = (unzip (scan (\(x1, f1) (x2, f2) -> (if f2 then x2 else op x1 x2, f1 || f2)) (ne, false) arr)).0
def usesg = sgmscan (+) 0i32 [(1, true), (2, false)]
def rbi (xs: []i32) = let h = replicate 4 0 in reduce_by_index h (+) 0 (map (\x -> i64.i32 (x % 4)) xs) (map (const 1i32) xs)
def powi (x: f64) (n: i32) : f64 = (loop (r, b, n) = (1, x, n) while n > 0 do (if n % 2 == 1 then r * b else r, b * b, n / 2)).0
def bits (x: u32) = (x >> 3) & 0b111 | (x << 2) ^ !x
def sumtype_arr : [3](#big i32 | #small) = map (\x -> if x > 2i32 then #big x else #small) [1, 2, 3]
def st2 = map (\v -> match v case #big x -> x case #small -> 0) sumtype_arr
def deep (x: #a (#b i32 | #c) | #d) = match x case #a (#b n) -> n case #a #c -> 1 case #d -> 2
def udeep = deep (#a (#b 3))
def nested_rec = let r = {p = {x = 1f32, y = 2f32}, q = [1i32]} in (r with p.x = 3 with q = [2, 3]).p.y
def sizeproj (r: {n: i64, m: i64}) : [r.n]i32 = replicate r.n 0
def hof2 [n] 'a 'b (f: (i: i64) -> a -> b) (xs: [n]a) = map2 f (indices xs) xs
def existfun (p: i32 -> bool) : ([]i32 -> []i32) = filter p
entry uef (xs: []i32) = existfun (> 2) xs
def lift '^a '^b (f: a -> b) (x: a) = f x
def ulift = lift (\x -> x + 1) 2i32
def chain (xs: []i32) = xs |> map (+1) |> filter (\x -> x % 2 == 0) |> map i64.i32 |> i64.sum
def pick2 (c: bool) = (if c then (1i32, [1i32]) else (2, [3, 4])).1
def vec_unique [n] (xs: *[n]f32) : *[n]f32 = loop xs for i < n do let t = xs[i] in xs with [i] = t * 2
def outer_unique = vec_unique (replicate 3 1)
def manyargs (a: i32) (b: i32) (c: i32) (d: i32) = a + b + c + d
def partial = let f = manyargs 1 2 in f 3 4
def zipw = map (uncurry (+)) (zip [1i32, 2] [3, 4])
def char_arith = 'a' + 1u8
def negs = (-1i8, - (2 : i32), -3.0f32)
def cmpchain (a: i32) (b: i32) = a < b && b < 10 || a == b
