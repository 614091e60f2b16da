-- Derivatives of flatmap: the full Jacobian by the vector modes, forward and reverse, and by central
-- differences; and that of the gradient.
-- ==
-- entry: powers kept free nested
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

-- Weighted, so that each element of the concatenation counts differently.
def weighted [k] (xs: [k]f64) : f64 = f64.sum (map2 (\x i -> x * (1 + f64.i64 i)) xs (iota k))

-- Element i gives i powers of itself.
entry powers [n] (xs: [n]f64) =
  agree 2 (\xs ->
             let (_, _, _, data, sines) =
               flatmap' (\(x, i) -> (map (\j -> x ** f64.i64 (j + 1)) (iota i), f64.sin x)) (zip xs (iota n))
             in [weighted data, weighted sines]) (map (+ 1) xs)

-- The sizes depend on the values.
entry kept [n] (xs: [n]f64) =
  agree n (\xs ->
             let data = flatmap (\x -> map (* x) (filter (> x) xs)) xs
             in tabulate n (\i -> weighted (map (\d -> f64.cos (d + f64.i64 i)) data))) xs

-- The function uses an array of its context.
entry free [n] (xs: [n]f64) =
  agree 1 (\xs -> [weighted (flatmap (\i -> map2 (*) xs[:i] (xs[n - i:n] :> [i]f64)) (iota n))]) xs

-- Within a map.
entry nested [n] (xs: [n]f64) =
  agree n (\xs -> map (\x -> weighted (flatmap (\i -> map (\j -> x * xs[j]) (iota i)) (iota 3))) xs) xs
