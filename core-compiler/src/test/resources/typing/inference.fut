-- What types and sizes are inferred from.
def f1 (xs: []i32) = (\ys -> map (+1) ys) xs
def f2 = map (\f -> f) [1i32]
def f3 [n] (xs: [n]i32) = let go [m] (ys: [m]i32) : [m]i32 = map (+1) ys in go (go xs)
def f4 [n] (xs: [n]i32) (ys: [n]i32) = map2 (\x y -> (x, y)) xs ys |> unzip
def f5 [n] (xs: [n]{a: i32, b: f32}) = (map (.a) xs, map (\{a, b} -> f32.i32 a + b) xs)
def f6 (n: i64) = loop (i, xs) = (0, iota n) while i < n do (i + 1, map (+ i) xs)
def f7 (n: i64) = (loop (i, xs) = (0i64, []) while i < n do (i + 1, xs ++ [i])).1
def f8 [n] (xs: [n]f32) = loop xs = xs for i in iota n do map (* f32.i64 i) xs
def f9 [n] (xs: [n]i32) = loop acc = (0, true) for (i, x) in zip (iota n) xs do (acc.0 + x, i > 0)
def f10 (b: bool) = (if b then [1i32] else [], if b then #x 1i32 else #y : #x i32 | #y)
def f11 [n] (k: i64) (xs: [n]i32) : [k]i32 = if n == k then xs :> [k]i32 else replicate k 0
def f12 [n][m] (xs: [n][m]i32) : [m][n]i32 = tabulate_2d m n (\i j -> xs[j, i])
def f13 'a [n] (cmp: a -> a -> bool) (xs: [n]a) = map (\x -> map (\y -> cmp x y) xs) xs
def f14 (xs: [][]i32) = map (\r -> filter (> 0) r |> length) xs
def f15 (s: #a {x: i32, y: [3]f32} | #b (i32, i32)) = match s case #a {x, y} -> f32.i32 x + y[0] case #b (a, b) -> f32.i32 (a + b)
def f16 (x: i64) = let y : [x]i32 = replicate x 0 in y
def f17 (x: i64) = let z = x * 2 let y : [z]i32 = replicate z 0 in length y
def f18 [n] (x: [n]i32) (f: [n]i32 -> i32) = f x + f (map (+1) x)
def f19 = f18 [1, 2, 3] i32.sum
def f20 = let k = 3i64 let xs = iota k in map2 (+) xs (iota k)
def f21 (k: i64) = zip (iota (k + 1)) (replicate (k + 1) true)
def f22 = i64.sum (map (\i -> i64.sum (iota i)) (iota 10))
def f23 (xs: []u8) = map u32.u8 xs |> reduce (\h c -> h * 31 + c) 7
def f24 (m: {rows: i64, cols: i64, xs: []f32}) = unflatten (m.xs :> [m.rows * m.cols]f32)
def f25 (x: f32) : f32 = let rec = {v = x} in rec.v
def f26 [n] (xs: *[n]i32) (is: []i64) = reduce_by_index xs i32.max i32.lowest is (map i32.i64 is)
def f27 = let (|*|) a b = a * b + 1i32 in 2 |*| 3
def f28 = (`i32.max` 3) 2 + (3 `i32.min`) 1
def f29 [n] (xs: [n]i32) = xs |> map i64.i32 |> map (\i -> if i >= 0 && i < n then xs[i] else -1)
def f30 = (\() -> 1i32) ()
def f31 (x: i32) (y: i32) = match (x > 0, y > 0) case (true, true) -> 1i32 case (true, false) -> 2 case (false, _) -> 3
def f32a = map (\(x: i32) -> {x, y = x + 1}) [1] |> map (.y)
def f33 [n] (xs: [n]i32) = let xs' = map (+1) xs let xs'' = map (+1) xs' in xs''
def f34 [a][b] (xss: [a][b]f32) = map2 (\i r -> r[i]) (iota a) xss
def f35 (xs: []i32) = let ys = if null xs then [0] else xs in ys[0]
def f36 (n: i64) = let xs = replicate n 0i32 in (xs with [0] = 1)
def f37 [n] (xs: [n](f32, f32)) = map (\(a, b) -> a * b) xs |> reduce (+) 0
def f38 [n] (xs: [n]i32) = i32.sum xs[1:] - i32.sum xs[:n-1]
def f39 [n] (xs: [n]i32) = map2 (-) xs[1:] xs[:n-1]
def f40 [n] (xs: [n]i32) = zip xs (rotate 1 xs)
