-- All shortest paths by repeated squaring in the (min, +) semiring, flat.
-- ==
-- input { [[0f64, 3f64, 100f64, 7f64], [8f64, 0f64, 2f64, 100f64], [5f64, 100f64, 0f64, 1f64], [2f64, 100f64, 100f64, 0f64]] }
-- output { [[0f64, 3f64, 5f64, 6f64], [5f64, 0f64, 2f64, 3f64], [3f64, 6f64, 0f64, 1f64], [2f64, 5f64, 7f64, 0f64]] }

def redmin1 [n] (a: [n]f64) : f64 = reduce f64.min f64.inf a
def redmin2 [n][m] (a: [n][m]f64) : [n]f64 = map redmin1 a
def plus1 [n] (a: [n]f64) (b: [n]f64) : [n]f64 = map2 (+) a b
def plus2 [n][m] (a: [n][m]f64) (b: [n][m]f64) : [n][m]f64 = map2 plus1 a b

def square [n] (d: [n][n]f64) : [n][n]f64 =
  let columns = replicate n (transpose d)
  let rows = map (replicate n) d
  let through = map2 plus2 rows columns
  let best = map redmin2 through
  in map2 (map2 f64.min) d best

def main [n] (d: [n][n]f64) : [n][n]f64 =
  (loop (d, reach) = (d, 1) while reach < n do (square d, 2 * reach)).0
