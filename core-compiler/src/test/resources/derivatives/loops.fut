-- Derivatives of loops: the full Jacobian by the vector modes, forward and reverse, and by central
-- differences; and that of the gradient.
-- ==
-- entry: while_arr ifloop filter_in_loop growing nested_loop_inplace rowupd loop_two whileinner mapupd loopscatter loophist loopcond mapwhile updslice upd2d
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64] } output { true true true }

-- ==
-- entry: halving
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64, 0.2f64, 1.3f64] } output { true true true }

-- ==
-- entry: lu floyd
-- input { [2.0f64,0.3f64,0.9f64,0.4f64,2.7f64,0.5f64,0.1f64,0.6f64,1.9f64] } output { true true true }

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

entry while_arr [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = (loop (ys, s) = (copy xs, 0) while s < 20 do let ys = ys with [0] = ys[0] * 1.3 + ys[1] in let ys = map (\y -> y * 1.1) ys in (ys, f64.sum ys)).0
  in agree (n) f xs

entry ifloop [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = loop ys = copy xs for i < n do if i % 2 == 0 then ys with [i] = ys[i] * ys[(i+1)%n] else map (\y -> y * 0.9 + xs[i]) ys
  in agree (n) f xs

entry filter_in_loop [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [1]f64 = [loop acc = 0 for i < 3 do acc + f64.sum (filter (> f64.i64 i * 0.3) (map (\x -> x * x) xs))]
  in agree (1) f xs

entry growing [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [1]f64 = [f64.sum (loop ys = xs for i < 4 do map (\y -> y * y * 0.5) (ys ++ [xs[i]]))]
  in agree (1) f xs

entry halving [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [1]f64 = [(loop ys = map (+1) xs while length ys > 1 do let h = length ys / 2 in map2 (\a b -> a * b + f64.sin a) (take h ys) (drop h ys :> [h]f64)) |> f64.sum]
  in agree (1) f xs

entry nested_loop_inplace [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 = flatten (loop m = unflatten (copy (xs :> [2*3]f64)) for i < 2 do loop m for j < 3 do m with [i,j] = m[i,j] * m[(i+1)%2,j] + (if j > 0 then m[i,j-1] else 0)) :> [6]f64
  in agree (6) f xs

entry lu [n] (xs: [n]f64) =
  let f [k] (xs: [k]f64) : [9]f64 = let a = unflatten (copy (xs :> [3*3]f64)) in flatten (loop a for k < 3 do loop a for i in (k+1)..<3 do let c = a[i,k] / a[k,k] in let a = a with [i,k] = c in loop a for j in (k+1)..<3 do a with [i,j] = a[i,j] - c * a[k,j]) :> [9]f64
  in agree (9) f xs

entry floyd [n] (xs: [n]f64) =
  let f [k] (xs: [k]f64) : [9]f64 = flatten (loop a = unflatten (xs :> [3*3]f64) for k < 3 do tabulate_2d 3 3 (\i j -> f64.min a[i,j] (a[i,k] + a[k,j]))) :> [9]f64
  in agree (9) f xs

entry rowupd [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 = flatten (loop m = unflatten (copy (xs :> [2*3]f64)) for i < 4 do m with [i % 2] = map2 (*) m[i%2] m[(i+1)%2]) :> [6]f64
  in agree (6) f xs

entry loop_two [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = let (a, b, _) = loop (a, b, s) = (copy xs, replicate n 0, 1) for i < n do let b = b with [i] = a[i] * s in let a = a with [n - 1 - i] = b[i] + a[n-1-i] in (a, b, s * 0.9 + b[i]) in map2 (*) a b
  in agree (n) f xs

entry whileinner [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = map (\x -> loop y = x * x + 0.1 while y < 3 do y * y + x * x + 0.5) xs
  in agree (n) f xs

entry mapupd [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 = flatten (map (\i -> let r = copy (take 3 (drop i xs)) in loop r for j < 2 do r with [j] = r[j+1] * r[j] * xs[i]) (iota 2)) :> [6]f64
  in agree (6) f xs

entry loopscatter [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = loop ys = copy xs for i < 3 do scatter ys [i, (i + 2) % n, -1] (map (\j -> ys[j] * ys[0]) [1, 3, 2])
  in agree (n) f xs

entry loophist [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = loop ys = copy xs for i < 2 do reduce_by_index ys (*) 1 [i, i, 5, 9] (map (\x -> x * x) (take 4 xs))
  in agree (n) f xs

entry loopcond [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = loop ys = copy xs for i < n do if ys[i] > 1 then let ys[0] = ys[i] * ys[0] in let ys[i] = 0.5 in ys else if i % 2 == 0 then ys with [i] = ys[i] ** 3 else ys
  in agree (n) f xs

entry mapwhile [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [2]f64 = map (\r -> (loop (s, i) = (1, 0i64) while i < 3 && s < 4 do (s * 1.5 + r[i] * r[i], i + 1)).0) (unflatten (xs :> [2*3]f64))
  in agree (2) f xs

entry updslice [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = let ys = copy xs in let ys[1:4] = map (\x -> x * ys[0]) ys[2:5] in let ys[0] = ys[2] * ys[2] in map2 (*) ys xs
  in agree (n) f xs

entry upd2d [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 = let m = unflatten (copy (xs :> [2*3]f64)) in let m[:,1] = map f64.product m in let m[1] = map2 (*) m[0] m[1] in flatten m :> [6]f64
  in agree (6) f xs
