-- Derivatives of scans and histograms by the rules for minima and products, also where products are
-- zero: the full Jacobian by the vector modes, forward and reverse, and by central differences; that
-- of the gradient; and value and gradient together against each alone.
-- ==
-- entry: scan_min scan_mul hist_min hist_mul few_mul hist_pairs scan_rows reduce_mul
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64] } output { true true true true }

-- ==
-- entry: scan_mul hist_mul few_mul scan_rows reduce_mul
-- input { [0.3f64, 0f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64] } output { true true true true }
-- input { [0f64, 0.9f64, 0f64, 0f64, 0.5f64, 1.1f64] } output { true true true true }

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


entry scan_min [n] (xs: [n]f64) =
  both n (\xs -> map (\x -> x * x) (scan f64.min f64.inf (map (\x -> x * 2) xs))) xs

entry scan_mul [n] (xs: [n]f64) = both n (scan (*) 1) xs

entry reduce_mul [n] (xs: [n]f64) = both 1 (\xs -> [reduce (*) 1 xs]) xs

-- more elements than bins, one of them empty, one index outside
entry hist_min [n] (xs: [n]f64) =
  both 4 (\(xs: [n]f64) -> hist f64.min f64.inf 4 (map (\i -> [0, 1, 7, 1, 3, 0][i]) (iota n)) xs |> map (\x -> if x == f64.inf then 0 else x)) xs

entry hist_mul [n] (xs: [n]f64) =
  both 4 (\(xs: [n]f64) -> hist (*) 1 4 (map (\i -> [0, 1, 7, 1, 3, 0][i]) (iota n)) xs) xs

-- fewer elements than bins
entry few_mul [n] (xs: [n]f64) =
  both 9 (\(xs: [n]f64) -> hist (*) 1 9 (map (\i -> [0, 8, -1, 8, 3, 0][i]) (iota n)) xs) xs

entry hist_pairs [n] (xs: [n]f64) =
  both 4 (\(xs: [n]f64) ->
            let op (p1: f64, s1: f64) (p2: f64, s2: f64) = (p1 + p2 + s1 * s2, s1 + s2)
            in map (.0) (hist op (0, 0) 4 (map (\i -> [0, 1, 7, 1, 1, 0][i]) (iota n)) (map (\x -> (0, x)) xs))) xs

entry scan_rows [n] (xs: [n]f64) =
  both 6 (\(xs: [n]f64) -> flatten (scan (map2 (*)) (replicate 2 1) (unflatten (xs :> [3 * 2]f64))) :> [6]f64) xs
