-- The user's word that operators can be undone.
-- ==
-- entry: duals hists checked
-- input { [0.3, 0.9, -0.4, 1.7, 0.5, 1.1] } output { true }

-- ==
-- entry: wrong
-- input { [0.3, 0.9, -0.4, 1.7, 0.5, 1.1] } error: invertible

def dual (a: f64, b: f64) (c: f64, d: f64) = (a * c, a * d + b * c)
def pairs [n] (xs: [n]f64) = map (\x -> (x + 2, f64.sin x)) xs
def plain [n] (xs: [n]f64) = let (a, b) = reduce dual (1, 0) (pairs xs) in a * b
def quick [n] (xs: [n]f64) = let (a, b) = #[invertible] reduce dual (1, 0) (pairs xs) in a * b
def careful [n] (xs: [n]f64) = let (a, b) = #[invertible(check)] reduce dual (1, 0) (pairs xs) in a * b
def bins [n] (xs: [n]f64) = reduce_by_index (replicate 3 (1, 2)) dual (1, 0) (map (% 4) (iota n)) (pairs xs)
def quick_bins [n] (xs: [n]f64) = #[invertible(check)] reduce_by_index (replicate 3 (1, 2)) dual (1, 0) (map (% 4) (iota n)) (pairs xs)
def close [n] (xs: [n]f64) (ys: [n]f64) = and (map2 (\x y -> f64.abs (x - y) <= 1e-9 * (1 + f64.abs x)) xs ys)
entry duals [n] (xs: [n]f64) = close (vjp plain xs 1) (vjp quick xs 1)
entry checked [n] (xs: [n]f64) = close (vjp plain xs 1) (vjp careful xs 1)
entry hists [n] (xs: [n]f64) =
  close (vjp (\x -> f64.sum (map (\(a, b) -> a * b) (bins x))) xs 1) (vjp (\x -> f64.sum (map (\(a, b) -> a * b) (quick_bins x))) xs 1)
-- an element of 0.9 can't be undone
entry wrong [n] (xs: [n]f64) =
  vjp (\x -> let (a, b) = #[invertible(check)] reduce dual (1, 0) (map (\y -> (y - 0.9, y)) x) in a + b) xs 1
