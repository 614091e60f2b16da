-- More idioms: sizes that only values decide, folds, tables, matrices.
type~ array_of 't = ?[n].[n]t
def mk (k: i64) : array_of i32 = replicate k 0
def f7 (xs: []i32) : ?[k].([k]i32, [k]bool) = let ys = filter (> 0) xs in (ys, map (> 1) ys)
def use7 = let (a, b) = f7 [1, 2] in zip a b
def f8 [n] (xs: [n]i32) = let f (i: i64) = xs[i % n] in map f (iota n)
def f9 (f: []i32 -> i32) (n: i64) = f (replicate n 1)
def use9 = f9 i32.sum 3 + f9 (\xs -> xs[0]) 2 + f9 (reduce (+) 0) 1
def f10 [n] (f: [n]i32 -> [n]i32) (xs: [n]i32) = f (f xs)
def use10 = f10 (map (+1)) [1, 2]
def f11 (f: (n: i64) -> [n]i32) = f 2 ++ f 3
def use11 = f11 (\n -> replicate n 0) ++ f11 (\n -> map i32.i64 (iota n))
def f13 [n] (xs: *[n]i32) : *[n]i32 = if n > 0 then xs with [0] = 1 else xs
def f14 (xs: *[]i32) = let (a, b) = (xs, 1i32) in a with [0] = b
def f15 [n] (xs: [n]f32) = (loop (best, i) = (0, 0) for j < n do if xs[j] > best then (xs[j], j) else (best, i)).1
def f16 (x: i32) = match x case 0 -> "zero" case 1 -> "one" case _ -> "many"
def f17 (x: {a: i32, b: (f32, bool)}) = let {a, b = (c, _)} = x in f32.i32 a + c
def f18 = \(x: i32) (y: i32) -> x + y
def f19 [n] (xs: [n]i32) = map (\x -> let y = x + 1 let z = y * 2 in z) xs
def f20 = map (\(x, y) -> x + y) (zip [1i32] [2])
def f21 (n: i64) = loop xs = [] for i < n do xs ++ [i]
def f22 [n] (xs: [n]i32) = all (> 0) xs && any (== 3) xs && and (map (> 0) xs)
def f23 (x: f64) = f64.floor x |> i32.f64
def f24 [n][m] (xss: [n][m]i32) = flatten xss |> unflatten :> [n][m]i32
def f25 = let x = 1 in x + 2i8
def f26 = replicate 3 (replicate 2 (1i32, 2f32))
def f27 (xs: [](i32, i32)) = let (a, b) = unzip xs in map2 (-) a b
def f28 [n] (xs: [n]i32) : i32 = let go (acc: i32) (x: i32) : i32 = acc + x in foldl go 0 xs
def f29 [n] (dst: *[n]i32) = scatter dst (iota n) (map i32.i64 (iota n))
def f30 (n: i32) = map (\i -> i + n) (map i32.i64 (iota (i64.i32 n)))
def f31 'a (n: i64) (x: a) (f: a -> a) = loop x for _i < n do f x
def f32_ = f31 3 1i32 (+ 1)
def f33 [n] (A: [n][n]f64) (b: [n]f64) = map (\row -> reduce (+) 0 (map2 (*) row b)) A
def f34 (x: i32) = (x, x) |> \(a, b) -> a + b
def f35 = (.0) (1i32, 2f32)
def f36 [n] (is: [n]i32) (xs: [n]f32) = reduce_by_index (replicate 5 0f32) (+) 0f32 (map i64.i32 is) xs
def f37 [n] (ks: [n]i64) (vs: [n]i32) = let (h: *[10]i32) = replicate 10 0 in reduce_by_index h (+) 0 ks vs
def f38 (xs: []i32) = let n = length xs in map (\i -> xs[n - i - 1]) (iota n)
def f39 [n] (xs: [n]i32) = tabulate_2d n n (\i j -> xs[i] * xs[j])
def f40 [n] (xs: [n]f32) = let mean = f32.sum xs / f32.i64 n in f32.sqrt (f32.sum (map (\x -> (x - mean) ** 2) xs) / f32.i64 n)
def f41 (a: i32) = let b = a in let a = b + 1 in a
def f42 = assert true (1i32, [2f32])
def f43 = let xs = [1, 2, 3] let ys: [3]f32 = xs in ys
def f44 (xs: []i32) = (xs, length xs) : ([]i32, i64)
def f45 [n] (xs: [n]i32) = let ys : []i32 = xs in zip xs ys
def f46 = unzip (map (\x -> if x > 0 then (x, true) else (0, false)) [1i32, -1])
def f47 (opt: #some i32 | #none) = match opt case #some x -> (x, true) case #none -> (0, false)
def f48 = match (1i32, #a : #a | #b) case (1, #a) -> 1i32 case (_, #b) -> 2 case (_, #a) -> 3
def f49 (n: i64) : [n](i64, i64) = zip (iota n) (reverse (iota n))
def f50 (n: i64) = zip (iota n) (map (+1) (0..<n))
