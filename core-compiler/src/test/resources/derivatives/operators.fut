-- Derivatives of reductions, scans and histograms with operators of all kinds: the full Jacobian by
-- the vector modes, forward and reverse, and by central differences; and that of the gradient.
-- ==
-- entry: rbi_pair rbi_mat rbi_cplx scan_mat_tup rbi_argmin rbi_satadd rbi_free scan_free2 lse welford maxseg scan_lse rbi_3tup rbi_arrmax rbi_arrgen scan_arrgen redtup redomap_arr scan_seg
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64] } output { true true true }

-- ==
-- entry: zerop
-- input { [0.0f64, 2.0f64, 3.0f64] } output { true true true }

-- ==
-- entry: zerop2
-- input { [0.0f64, 2.0f64, 0.0f64] } output { true true true }

-- ==
-- entry: scanzero
-- input { [1.0f64, 0.0f64, 3.0f64, 0.0f64, 2.0f64] } output { true true true }

-- ==
-- entry: rbizero
-- input { [0.0f64, 0.0f64, 3.0f64, 4.0f64, 0.0f64, 5.0f64] } output { true true true }

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

entry rbi_pair [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 = let (a, b) = unzip (reduce_by_index (replicate 3 (0, 1)) (\(a, b) (c, d) -> (a + c, b * d)) (0, 1) (map (\i -> i % 4 - 1) (iota n)) (zip xs (map f64.exp xs))) in a ++ b :> [6]f64
  in agree (6) f xs

entry rbi_mat [n] (xs: [n]f64) =
  let mm (a: [2][2]f64) (b: [2][2]f64) = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
  let f [n] (xs: [n]f64) : [12]f64 =
    -- commuting matrices: [[a,b],[-b,a]]
    flatten_3d (reduce_by_index (replicate 3 [[1,0],[0,1]]) mm [[1,0],[0,1]] (map (% 3) (iota n)) (map (\x -> [[x, x*x],[-x*x,x]]) xs)) :> [12]f64
  in agree (12) f xs

entry rbi_cplx [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 = let (a, b) = unzip (reduce_by_index (map (\x -> (x, x*x)) (take 3 xs)) (\(a, b) (c, d) -> (a * c - b * d, a * d + b * c)) (1, 0) (map (\i -> i % 4) (iota n)) (zip xs (map f64.exp xs))) in a ++ b :> [6]f64
  in agree (6) f xs

entry scan_mat_tup [n] (xs: [n]f64) =
  let mm (a,b,c,d) (e,f,g,h) : (f64,f64,f64,f64) = (a*e+b*g, a*f+b*h, c*e+d*g, c*f+d*h)
  let f [n] (xs: [n]f64) : [n]f64 = map (\(a,b,c,d) -> a + 2*b + 3*c + 4*d) (scan mm (1,0,0,1) (map (\x -> (x, x*x,1,f64.sin x)) xs))
  in agree (n) f xs

entry rbi_argmin [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [3]f64 = map (.0) (reduce_by_index (replicate 3 (100, -1)) (\(a, i) (b, j) -> if a < b || (a == b && i < j) then (a, i) else (b, j)) (f64.inf, -1) (map (% 3) (iota n)) (zip (map (** 2) xs) (iota n)))
  in agree (3) f xs

entry rbi_satadd [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [3]f64 = reduce_by_index (replicate 3 0) (\a b -> f64.min 2.5 (a + b)) 0 (map (\i -> i % 4) (iota n)) (map f64.abs xs)
  in agree (3) f xs

entry rbi_free [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [3]f64 = let c = f64.exp xs[0] in reduce_by_index (map (*2) (take 3 xs)) (\a b -> a + b + c * a * b) 0 (map (%4) (iota n)) xs
  in agree (3) f xs

entry scan_free2 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = let c = f64.exp xs[0] in scan (\a b -> a + b + c * a * b) 0 xs
  in agree (n) f xs

entry lse [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [1]f64 = let (m, s) = reduce (\(m1, s1) (m2, s2) -> let m = f64.max m1 m2 in (m, s1 * f64.exp (m1 - m) + s2 * f64.exp (m2 - m))) (-1000, 0) (map (\x -> (x, 1)) xs) in [m + f64.log s]
  in agree (1) f xs

entry welford [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [2]f64 = let (_, m, v) = reduce (\(n1, m1, v1) (n2, m2, v2) -> if n1 + n2 == 0 then (0, 0, 0) else let d = m2 - m1 in let nn = n1 + n2 in (nn, m1 + d * n2 / nn, v1 + v2 + d * d * n1 * n2 / nn)) (0, 0, 0) (map (\x -> (1, x, 0)) xs) in [m, v]
  in agree (2) f xs

entry maxseg [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [1]f64 = let (m, _, _, _) = reduce (\(mss1,mis1,mcs1,ts1) (mss2,mis2,mcs2,ts2) -> (f64.max mss1 (f64.max mss2 (mcs1 + mis2)), f64.max mis1 (ts1 + mis2), f64.max mcs2 (mcs1 + ts2), ts1 + ts2)) (0,0,0,0) (map (\x -> (f64.max x 0, f64.max x 0, f64.max x 0, x)) (map (\x -> x - 0.45) xs)) in [m]
  in agree (1) f xs

entry scan_lse [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = map (\(m, s) -> m + f64.log s) (scan (\(m1, s1) (m2, s2) -> let m = f64.max m1 m2 in (m, s1 * f64.exp (m1 - m) + s2 * f64.exp (m2 - m))) (-1000, 0) (map (\x -> (x, 1)) xs))
  in agree (n) f xs

entry rbi_3tup [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [3]f64 = map (\(a, b, c, _) -> a * b + c) (reduce_by_index (replicate 3 (0, 1, -9, 0i32)) (\(a, b, c, k) (x, y, z, l) -> (a + x, b * y, f64.max c z, k + l)) (0, 1, f64.lowest, 0) (map (%4) (iota n)) (map (\x -> (x, x + 1, x * x, 1)) xs))
  in agree (3) f xs

entry rbi_arrmax [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 = flatten (reduce_by_index (replicate 3 [-3, -3]) (map2 f64.max) [f64.lowest, f64.lowest] (map (%4) (iota n)) (map (\x -> [x, x*x]) xs)) :> [6]f64
  in agree (6) f xs

entry rbi_arrgen [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [6]f64 = flatten (reduce_by_index (replicate 3 [0, 0]) (\a b -> [a[0] + b[0], a[1] + b[1] + a[0] * b[0]]) [0, 0] (map (%4) (iota n)) (map (\x -> [x, x*x]) xs)) :> [6]f64
  in agree (6) f xs

entry scan_arrgen [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [2*n]f64 = flatten (scan (\a b -> [a[0] + b[0], a[1] + b[1] + a[0] * b[0]]) [0, 0] (map (\x -> [x, x*x]) xs)) :> [2*n]f64
  in agree (2*n) f xs

entry redtup [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [3]f64 = let (a, b, c) = reduce (\(a, b, c) (x, y, z) -> (a + x, b * y, f64.max c z)) (0, 1, -1) (map (\x -> (x * x, x + 2, f64.sin x)) xs) in [a * b, b * c, c]
  in agree (3) f xs

entry redomap_arr [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [2]f64 = reduce (\a b -> [a[0] * b[0], a[1] + b[1] * b[0]]) [1, 0] (map (\x -> [x, x * x]) xs)
  in agree (2) f xs

entry scan_seg [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = map (.1) (scan (\(f, a) (g, b) -> (f || g, if g then b else a * b)) (false, 1) (zip (map (\i -> i % 3 == 0) (iota n)) xs))
  in agree (n) f xs

entry zerop [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [1]f64 = [f64.product xs]
  in agree (1) f xs

entry zerop2 [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [1]f64 = [f64.product xs]
  in agree (1) f xs

entry scanzero [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 = scan (*) 1 xs
  in agree (n) f xs

entry rbizero [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [3]f64 = reduce_by_index [2.0, 3.0, 0.0] (*) 1 (map (% 4) (iota n)) xs
  in agree (3) f xs
