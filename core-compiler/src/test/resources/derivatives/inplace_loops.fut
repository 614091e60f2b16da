-- Derivatives of loops that update arrays in place, in branches in branches and loops in loops: the full
-- Jacobian by the vector modes, forward and reverse, and by central differences; that of the
-- gradient; and value and gradient together against each alone.
-- ==
-- entry: if_in_if three_loops rows_in_rows read_after_write loop_in_if two_arrays read_in_inner map_in_loop in_map
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


entry if_in_if [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop ys = copy xs for i < 2 * n do
      let k = i % n
      in if i % 2 == 0
         then if ys[k] > 0.6 then ys with [k] = ys[k] * ys[(k + 1) % n]
              else ys with [(k + 1) % n] = f64.sin ys[k] + xs[k]
         else if i % 3 == 0 then ys else ys with [k] = ys[k] * ys[k]
  in both n f xs

entry three_loops [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 =
    flatten (loop m = unflatten (copy (xs :> [2 * 3]f64)) for t < 2 do
               loop m for i < 2 do
                 loop m for j < 3 do
                   if j == 1 then m with [i, j] = m[i, j] * m[1 - i, j] + xs[t]
                   else m with [i, j] = m[i, j] * f64.cos m[i, (j + 1) % 3]) :> [6]f64
  in both 6 f xs

entry rows_in_rows [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 =
    flatten (loop m = unflatten (copy (xs :> [2 * 3]f64)) for t < 3 do
               loop m for i < 2 do
                 let new = map2 (\a b -> a * f64.sin b + xs[t]) m[i] m[1 - i]
                 in m with [i] = new) :> [6]f64
  in both 6 f xs

entry read_after_write [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop ys = copy xs for i < n - 1 do
      let ys = ys with [i] = ys[i] * ys[i + 1]
      let z = ys[i] * xs[i]
      let ys = ys with [i + 1] = z * ys[i + 1]
      in ys
  in both n f xs

entry loop_in_if [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop ys = copy xs for i < n do
      if xs[i] > 0.4
      then loop ys for j < n - 1 do ys with [j] = ys[j] * ys[j + 1] + xs[i]
      else ys with [i] = ys[0] * ys[i]
  in both n f xs

entry two_arrays [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let (a, b) =
      loop (a, b) = (copy xs, replicate n 1) for i < n do
        let (a, b) = loop (a, b) for j < 2 do
                       let (x, y) = (a[i] * b[j] + xs[j], b[i] + a[j])
                       in (a with [i] = x, b with [(i + j) % n] = y)
        let z = a[i] * b[i]
        in (a, b with [i] = z)
    in map2 (*) a b
  in both n f xs

-- more is read than overwritten: by the log of what is overwritten
entry read_in_inner [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop ys = copy xs for i < n do
      let s = loop s = 0 for j < n do s + ys[j] * xs[j] * ys[i]
      in ys with [i] = s * 0.3
  in both n f xs

entry map_in_loop [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop ys = copy xs for i < n do
      let s = f64.sum (map2 (*) ys xs)
      in ys with [i] = s * ys[i]
  in both n f xs

entry in_map [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    map (\x -> let ys = loop ys = map (* x) xs for i < n - 1 do if ys[i] > 0.5 then ys with [i + 1] = ys[i] * ys[i + 1] + x else ys with [i] = ys[i] * x
               in f64.sum ys) xs
  in both n f xs
