-- Derivatives of functions that take derivatives: the full Jacobian by the vector modes, forward and
-- reverse, and by central differences; and that of the gradient.
-- ==
-- entry: inner_jvp newton gd hessdiag hvp_red vjp_rbi vjp_loop vjp_while vjp_filter vjp_gather vjp_scatter vjp_growing tuparg recarg sumarg nestarr forward_acc
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64] } output { true true true }

def onehot (n: i64) (i: i64) : [n]f64 = tabulate n (\j -> if i == j then 1 else 0)
def fwd [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 = jmp f x (tabulate n (onehot n))
def rev [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 = transpose (mjp f x (tabulate m (onehot m)))
def nudged [n] (x: [n]f64) (i: i64) (e: f64) : [n]f64 = map2 (\y d -> y + e * d) x (onehot n i)
def diff [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 =
  tabulate n (\i -> map2 (\a b -> (a - b) / 2e-6) (f (nudged x i 1e-6)) (f (nudged x i (-1e-6))))
def close (e: f64) (x: f64) (y: f64) : bool = f64.abs (x - y) <= e * (1 + f64.abs x)
def same [n] [m] (e: f64) (a: [n][m]f64) (b: [n][m]f64) : bool = and (map2 (\r s -> and (map2 (close e) r s)) a b)
def grad [n] (m: i64) (f: [n]f64 -> [m]f64) (y: [n]f64) : [n]f64 = vjp f y (tabulate m (\i -> 1.5 + f64.i64 i))
def agree [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : (bool, bool, bool) =
  let j = fwd m f x
  in (same 1e-9 j (rev m f x), same 1e-4 j (diff m f x), same 1e-9 (fwd n (grad m f) x) (rev n (grad m f) x))

entry inner_jvp [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = map (\x -> jvp (\y -> y * y * xs[0] + f64.sin (y * x)) x xs[1]) xs
  in agree (n) f xs

entry newton [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = map (\a -> loop x = 1 + a * a for _i < 5 do let g = \y -> y * y - a * a - 1 in x - g x / vjp g x 1) xs
  in agree (n) f xs

entry gd [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = let obj (v: [n]f64) = f64.sum (map2 (\a b -> (a - b * b) ** 2) v xs) in loop v = replicate n 0 for _i < 3 do map2 (\a g -> a - 0.1 * g) v (vjp obj v 1)
  in agree (n) f xs

entry hessdiag [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = let obj (v: [n]f64) = f64.sum (map2 (\a b -> f64.sin (a * b)) v (rotate 1 v)) in jvp (\v -> vjp obj v 1) xs (replicate n 1)
  in agree (n) f xs

entry hvp_red [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [1]f64 = let obj (v: [n]f64) = f64.product v in [f64.sum (map2 (*) xs (jvp (\v -> vjp obj v 1) xs xs))]
  in agree (1) f xs

entry vjp_rbi [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = vjp (\ys -> reduce_by_index (replicate 2 1) (*) 1 (map (%3) (iota n)) ys) xs (take 2 xs)
  in agree (n) f xs

entry vjp_loop [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = vjp (\ys -> loop ys = copy ys for i < n do ys with [i] = ys[i] * ys[(i+1) % n]) xs xs
  in agree (n) f xs

entry vjp_while [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = vjp (\ys -> f64.sum (loop ys while ys[0] < 5 do map (\y -> y * 1.5) ys with [0] = ys[0] + ys[1] * ys[1])) xs xs[2]
  in agree (n) f xs

entry vjp_filter [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = vjp (\ys -> f64.product (filter (> 0.4) ys)) xs xs[2]
  in agree (n) f xs

entry vjp_gather [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = vjp (\ys -> map (\i -> ys[i*i%n] * ys[0]) (iota n)) xs xs
  in agree (n) f xs

entry vjp_scatter [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = vjp (\ys -> scatter (map (\x -> x * x) ys) [0, -1, 7, 2] (map f64.sin (take 4 ys))) xs xs
  in agree (n) f xs

entry vjp_growing [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = vjp (\xs -> f64.sum (loop ys = xs for i < 3 do map (\y -> y * y * 0.5) (ys ++ [xs[i]]))) xs 1.5
  in agree (n) f xs

entry tuparg [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [3]f64 = let (a, b, (c, _), _) = vjp (\(a: f64, b: f64, (c: f64, k: i32), q: bool) -> if q then a * b * c * f64.i32 k else 0) (xs[0], xs[1], (xs[2], 3), true) xs[3] in [a, b, c]
  in agree (3) f xs

type r [n] = {a: f64, b: [n]f64, c: i64}
entry recarg [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = let g = vjp (\(r: r [n]) -> map (\x -> x * r.a * f64.i64 r.c) r.b) {a = xs[0], b = xs, c = 2} xs in map (+ g.a) g.b
  in agree (n) f xs

type t = #a f64 | #b f64 f64 | #c
entry sumarg [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [2]f64 = let g = vjp (\(t: t) -> match t case #a x -> x * x case #b x y -> x * y * y case #c -> 0) (#b xs[0] xs[1]) xs[2] in match g case #b x y -> [x, y] case _ -> [9, 9]
  in agree (2) f xs

entry nestarr [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = let g = vjp (\(m: [2][n]f64, k: i64) -> map (\r -> f64.product r * f64.i64 k) m) ([xs, rotate 1 xs], 3) [xs[0], xs[1]] in map2 (+) g.0[0] g.0[1]
  in agree (n) f xs

entry forward_acc [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = jvp (\ys -> vjp (\zs -> f64.sum (map (\i -> zs[i] * zs[(i*i) % n]) (iota n))) ys 1) xs xs
  in agree (n) f xs
