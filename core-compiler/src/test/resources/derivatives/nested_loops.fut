-- Derivatives of loops within loops whose results are kept, and of maps whose results are only made by
-- the return sweep: the full Jacobian by the vector modes, forward and reverse, and by central
-- differences; that of the gradient; and value and gradient together against each alone.
-- ==
-- entry: poles sums_of_sums norms late_twice late_overwritten
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64] } output { true true true true }

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


def both [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : (bool, bool, bool, bool) =
  let (a, b, c) = agree m f x
  let (y, g) = vjp2 f x (tabulate m (\i -> 1.5 + f64.i64 i))
  in (a, b, c, and (map2 (close 1e-12) y (f x)) && and (map2 (close 1e-12) g (grad m f x)))

-- loops in a branch in a loop in a loop in a map
entry poles [n] (xs: [n]f64) =
  let inner (x: f64) (k: i64) : f64 = if x < 1 then (loop s = 0 for i < 9 do s + f64.sin (x * f64.i64 (i + k))) * x else 1 / (x + f64.i64 k)
  let outer (x: f64) (k: i64) : f64 = loop s = x for j < 10 do s + xs[j % n] * inner (x * xs[(j + k) % n]) j
  let f [n] (xs: [n]f64) : [n]f64 = map (\x -> loop s = 0 for k < 9 do s + xs[k % n] * f64.exp (0.01 * outer x k)) xs
  in both n f xs

entry sums_of_sums [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [2]f64 =
    let (a, b) = loop (a, b) = (1, 0) for i < n + 4 do
                   let (u, v) = loop (u, v) = (0, xs[i % n]) for j < i + 9 do (u - xs[j % n] * xs[i % n], v + xs[(i * j) % n])
                   in (a * f64.cos (u * v), b + u * u)
    in [a, b]
  in both 2 f xs

entry norms [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop ys = xs for i < 3 do
      let norm = f64.sqrt (f64.sum (map (\y -> y * y + 0.1) ys))
      in map (\y -> y / norm + 0.2 * norm) ys
  in both n f xs

entry late_twice [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let ys = map (\x -> loop y = x for i < 5 do y * f64.cos (y + xs[i])) xs
    let zs = map (\x -> loop y = 2 * x for i < 4 do y + x / (1 + y * y)) ys
    let s = f64.sum zs
    in map2 (\y z -> y + s + 2 * z) ys zs
  in both n f xs

entry late_overwritten [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let as = copy xs
    let ys = map (\x -> loop y = x for i < 5 do y * f64.cos (y + xs[i])) as
    let t = ys[0] + as[1]
    let as = as with [1] = t * 3
    in map2 (+) ys as
  in both n f xs
