-- Matrix multiplication in the flat style of "A T2 Graph-Reduction Approach to Fusion" (2013),
-- figure 15: everything is replicated to one shape, multiplied, and summed.
-- ==
-- input { [[1f64, 2f64], [3f64, 4f64]] [[5f64, 6f64], [7f64, 8f64]] }
-- output { [[19f64, 22f64], [43f64, 50f64]] }
-- input { [[1f64, 2f64, 3f64]] [[1f64], [2f64], [3f64]] }
-- output { [[14f64]] }

def redplus1 [n] (a: [n]f64) : f64 = reduce (+) 0 a
def redplus2 [n][m] (a: [n][m]f64) : [n]f64 = map redplus1 a
def mul1 [n] (a: [n]f64) (b: [n]f64) : [n]f64 = map2 (*) a b
def mul2 [n][m] (a: [n][m]f64) (b: [n][m]f64) : [n][m]f64 = map2 mul1 a b

def main [n][m][k] (x: [n][m]f64) (y: [m][k]f64) : [n][k]f64 =
  let yt = replicate n (transpose y)
  let xr = map (replicate k) x
  let xyr = map2 mul2 xr yt
  in map redplus2 xyr
