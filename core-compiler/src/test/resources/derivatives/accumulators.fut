-- Derivatives of accumulators: the full Jacobian by the vector modes, forward and reverse, and by
-- central differences; and that of the gradient.
-- ==
-- entry: acc1 acc2 acc4 acc5 acc6 acc7 acc8 acc9 acc10
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

entry acc1 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = scatter_stream (replicate n 0) (\acc x -> write acc (i64.f64 (x * 2 + 1)) (x * x)) (map (\x -> x) (take 4 xs))
  in agree (n) f xs

entry acc2 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = reduce_by_index_stream (map f64.sin xs) (+) 0 (\acc i -> loop acc for j < 3 do write acc ((i + j) % n) (xs[i] * xs[j])) (iota n)
  in agree (n) f xs

entry acc4 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = reduce_by_index_stream (copy xs) f64.max f64.lowest (\acc i -> let acc = write acc ((i * 2) % n) (xs[i] ** 2) in write acc (i - 1) (xs[i] * 0.7)) (iota n)
  in agree (n) f xs

entry acc5 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = reduce_by_index_stream (copy xs) (\a b -> f64.min 3 (a + b)) 0 (\acc i -> let acc = write acc ((i * 2) % n) (f64.abs xs[i]) in write acc (i - 1) (xs[i] * xs[i])) (iota n)
  in agree (n) f xs

entry acc6 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let (a, b) = unzip (reduce_by_index_stream (zip (copy xs) (map (+1) xs)) (\(a, b) (c, d) -> (a * c, a * d + c * b)) (1, 0) (\acc i -> let acc = write acc ((i * 2) % n) (xs[i] + 2, xs[i]) in if xs[i] > 0.4 then write acc i (xs[i], 1) else acc) (iota n)) in map2 (*) a b
  in agree (n) f xs

entry acc7 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 = flatten (reduce_by_index_stream (replicate 3 [1.0, 2.0]) (map2 (*)) [1, 1] (\acc i -> write acc (i % 4) [xs[i], xs[i] * xs[i]]) (iota n)) :> [6]f64
  in agree (6) f xs

entry acc8 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = reduce_by_index_stream (map f64.exp xs) (*) 1 (\acc i -> (loop (acc, s) = (acc, xs[i]) while s < 2 do (write acc ((i + i64.f64 s) % n) s, s * 1.4 + 0.5)).0) (iota n)
  in agree (n) f xs

entry acc9 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = let c = f64.sin xs[0] in reduce_by_index_stream (map f64.exp xs) (\a b -> a + b + c * a * b) 0 (\acc i -> write acc (i64.f64 (xs[i] * 3) % n) xs[i]) (iota n)
  in agree (n) f xs

entry acc10 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = map2 (*) xs (scatter_stream (copy xs) (\acc i -> if i % 2 == 0 then write acc (n - 1 - i) (xs[i] * xs[i]) else acc) (iota n))
  in agree (n) f xs
