-- Derivatives through each construct, forward and reverse.
-- ==
-- entry: branches
-- input { 3f64 } output { 6f64 6f64 }
-- input { -3f64 } output { 1f64 1f64 }

-- ==
-- entry: loops
-- input { 2f64 3i64 } output { 12f64 12f64 }

-- ==
-- entry: products
-- input { [2f64, 3f64, 4f64] } output { [12f64, 8f64, 6f64] }

-- ==
-- entry: maxima
-- input { [1f64, 5f64, 3f64] } output { [0f64, 1f64, 0f64] }

-- ==
-- entry: gathers
-- input { [1f64, 2f64] [0i64, 1i64, 1i64] } output { [1f64, 2f64] }

-- ==
-- entry: scans
-- input { [1f64, 2f64, 3f64] } output { [3f64, 2f64, 1f64] }

-- ==
-- entry: matrix
-- input { [[1f64, 2f64], [3f64, 4f64]] [1f64, 1f64] } output { [4f64, 6f64] }

-- ==
-- entry: records
-- input { 2f64 3f64 } output { 3f64 2f64 }

-- ==
-- entry: vectors
-- input { 2f64 3f64 } output { [3f64, 2f64] [[3f64, 2f64]] }

-- ==
-- entry: custom
-- input { 3f64 } output { 6f64 }

-- ==
-- entry: second
-- input { 3f64 } output { 18f64 18f64 }

def both (f: f64 -> f64) (x: f64) = (jvp f x 1, vjp f x 1)

entry branches (x: f64) = both (\y -> if y > 0 then y * y else y) x
entry loops (x: f64) (n: i64) = both (\y -> loop acc = 1 for _i < n do acc * y) x
entry products [n] (xs: [n]f64) = vjp f64.product xs 1
entry maxima [n] (xs: [n]f64) = vjp f64.maximum xs 1
entry gathers [n] [m] (xs: [n]f64) (is: [m]i64) = vjp (\ys -> f64.sum (map (\i -> ys[i]) is)) xs 1
entry scans [n] (xs: [n]f64) = vjp (\ys -> f64.sum (scan (+) 0 ys)) xs 1

entry matrix [n] [m] (a: [n][m]f64) (x: [m]f64) =
  vjp (\v -> f64.sum (map (\row -> f64.sum (map2 (*) row v)) a)) x 1

entry records (x: f64) (y: f64) =
  let r = vjp (\(p: {a: f64, b: f64}) -> p.a * p.b) {a = x, b = y} 1
  in (r.a, r.b)

entry vectors (x: f64) (y: f64) =
  let f (p: (f64, f64)) = p.0 * p.1
  let (a, b) = unzip (mjp f (x, y) [1])
  in (jmp f (x, y) [(1, 0), (0, 1)], [[a[0], b[0]]])

entry custom (x: f64) = vjp (with_vjp_tape (\y -> (y * y, y)) (\y w -> 2 * y * w)) x 1

entry second (x: f64) =
  let f (y: f64) = y * y * y
  in (jvp (\y -> vjp f y 1) x 1, vjp (\y -> jvp f y 1) x 1)
