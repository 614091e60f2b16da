-- Full Jacobians by forward and by reverse mode, of functions and of their gradients.
-- ==
-- entry: sums growing loops whiles nested_loops tuples argmax logsumexp histogram histogram_pairs hist_rows scans scan_lin scan_rows scatters filters partitions gathers stencil rotates reshapes matmuls iters indirect conditional_update sorts matrix_update records special precision
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64] } output { true true }

def onehot (n: i64) (i: i64) : [n]f64 = tabulate n (\j -> if i == j then 1 else 0)
def fwd [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 = tabulate n (\i -> jvp f x (onehot n i))
def rev [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 = transpose (tabulate m (\i -> vjp f x (onehot m i)))
def close (x: f64) (y: f64) : bool = f64.abs (x - y) <= 1e-9 * (1 + f64.abs x)
def same [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : bool =
  and (map2 (\r s -> and (map2 close r s)) (fwd m f x) (rev m f x))
def twice [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : (bool, bool) =
  (same m f x, same n (\y -> vjp f y (replicate m 1.5)) x)

type shape = #circle f64 | #rectangle f64 f64 | #none

entry sums [n] (xs: [n]f64) =
  let area (s: shape) : f64 = match s case #circle r -> 3 * r * r case #rectangle a b -> a * b case #none -> 0
  in twice 3 (\ys -> [area (#circle ys[0]), area (if ys[1] > 0 then #rectangle ys[1] ys[2] else #none), area #none]) xs

entry loops [n] (xs: [n]f64) = twice n (\ys -> loop zs = copy ys for i < n - 1 do zs with [i + 1] = zs[i] * zs[i + 1] + f64.sin zs[i]) xs

entry whiles [n] (xs: [n]f64) = twice 1 (\ys -> let (a, _) = loop (a, b) = (ys[0], ys[1]) while a < 10 do (a + b * b, b * 1.1) in [a]) xs

entry nested_loops [n] (xs: [n]f64) =
  twice n (\ys -> loop zs = copy ys for i < n do loop zs for j < n do if j == i then zs else zs with [j] = zs[j] * 0.9 + zs[i] * 0.1) xs

entry tuples [n] (xs: [n]f64) =
  twice 2 (\ys -> let (a, b) = reduce (\(a, b) (c, d) -> (a + c + b * d, b + d)) (0, 0) (map (\y -> (y, y * y)) ys) in [a, b]) xs

entry argmax [n] (xs: [n]f64) =
  twice 1 (\ys -> let (v, _) = reduce_comm (\(x, i) (y, j) -> if x > y || (x == y && i < j) then (x, i) else (y, j)) (f64.lowest, -1) (zip ys (iota n)) in [v * v]) xs

entry logsumexp [n] (xs: [n]f64) =
  twice 1 (\ys -> let m = f64.maximum ys in [m + f64.log (f64.sum (map (\y -> f64.exp (y - m)) ys))]) xs

entry histogram [n] (xs: [n]f64) =
  twice 3 (\ys -> reduce_by_index (replicate 3 1) (*) 1 (map (% 4) (iota n)) ys) xs

entry histogram_pairs [n] (xs: [n]f64) =
  twice 6 (\ys -> let (a, b) = unzip (reduce_by_index (replicate 3 (0, f64.lowest)) (\(a, b) (c, d) -> (a + c, f64.max b d)) (0, f64.lowest) (map (% 4) (iota n)) (zip ys (map (** 2) ys))) in a ++ map (\x -> if x > -100 then x else 0) b :> [6]f64) xs

entry hist_rows [n] (xs: [n]f64) =
  twice 6 (\ys -> flatten (reduce_by_index (replicate 3 [0, 0]) (map2 (+)) [0, 0] (map (% 4) (iota n)) (map (\y -> [y, y * y]) ys)) :> [6]f64) xs

entry scans [n] (xs: [n]f64) = twice n (\ys -> scan (*) 1 ys) xs
entry scan_lin [n] (xs: [n]f64) =
  twice n (\ys -> map (.0) (scan (\(a, b) (c, d) -> (d * a + c, b * d)) (0, 1) (map (\y -> (y, y + 1)) ys))) xs
entry scan_rows [n] (xs: [n]f64) = twice n (\ys -> map f64.sum (scan (map2 (*)) [1, 1] (map (\y -> [y, y + 1]) ys))) xs

entry scatters [n] (xs: [n]f64) =
  twice n (\ys -> scatter (map (* 2) ys) [3, 0, 9] (map (\y -> y * y) (take 3 ys))) xs

entry filters [n] (xs: [n]f64) = twice 1 (\ys -> [f64.product (filter (> 0.4) ys)]) xs
entry partitions [n] (xs: [n]f64) = twice 1 (\ys -> let (a, b) = partition (> 0.4) ys in [f64.product a + f64.sum (map f64.sin b)]) xs

entry gathers [n] (xs: [n]f64) = twice n (\ys -> map (\i -> ys[(i * i) % n] * ys[i]) (iota n)) xs
entry stencil [n] (xs: [n]f64) = twice n (\ys -> map (\i -> let l = if i == 0 then ys[n-1] else ys[i-1] in l * ys[i] + f64.exp ys[(i + 1) % n]) (iota n)) xs
entry rotates [n] (xs: [n]f64) = twice n (\ys -> map2 (*) (rotate 2 ys) (reverse ys)) xs
entry reshapes [n] (xs: [n]f64) = twice 3 (\ys -> let m = unflatten (ys :> [2 * 3]f64) in map f64.product (transpose m)) xs

entry matmuls [n] (xs: [n]f64) =
  twice 4 (\ys -> let a = unflatten (take (2 * 2) ys) in flatten (map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose a)) a) :> [4]f64) xs

entry iters [n] (xs: [n]f64) = twice n (\ys -> iterate 5 (map (\y -> f64.cos (y * 1.1))) ys) xs

entry indirect [n] (xs: [n]f64) =
  twice n (\ys -> let is = map (\i -> (i * 7 + 3) % n) (iota n) in map2 (\i y -> (loop acc = y for k < 3 do acc * ys[(i + k) % n])) is ys) xs

entry conditional_update [n] (xs: [n]f64) =
  twice n (\ys -> loop zs = copy ys for i < n do if zs[i] > 0.6 then zs with [i] = zs[i] * zs[(i + 1) % n] else zs) xs

entry sorts [n] (xs: [n]f64) =
  twice n (\ys -> loop zs = copy ys for i < n do loop zs for j < n - 1 do if zs[j] > zs[j + 1] then let t = copy zs[j] in let zs = zs with [j] = zs[j + 1] in zs with [j + 1] = t else zs) xs

entry matrix_update [n] (xs: [n]f64) =
  twice n (\ys -> let m = replicate 2 ys in let m = m with [1] = map f64.sin m[0] in let m = m with [0, 2] = m[1, 1] in map2 (*) m[0] m[1]) xs

entry records [n] (xs: [n]f64) =
  twice 2 (\ys -> let r = {a = ys[0], b = ys} in let r = r with a = r.a * r.b[1] in [r.a, f64.sum r.b * r.a]) xs

entry special [n] (xs: [n]f64) =
  twice n (\ys -> map (\y -> f64.tanh y + f64.erf y + f64.hypot y 2 + f64.atan2 y 3 + f64.abs y ** 1.5 + f64.lgamma (y + 2)) ys) xs

entry precision [n] (xs: [n]f64) = twice n (\ys -> map (\y -> 2 * f64.f32 (f32.f64 y)) ys) xs
entry growing [n] (xs: [n]f64) =
  twice 1 (\ys -> [f64.sum (loop zs = ys for i < 3 do map (\z -> z * z) (concat zs [ys[i]]))]) xs

