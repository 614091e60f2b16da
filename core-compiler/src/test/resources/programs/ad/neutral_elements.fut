-- Forward derivatives of operators whose derivatives are no numbers at their neutral elements, which
-- backends may combine: for no elements, and where a thread has none.

-- | The length of a vector.
-- ==
-- entry: length
-- input { [3.0, 4.0, 12.0] }
-- output { 1.4615384615384615 }
-- input { empty([0]f64) }
-- output { 0.0 }
entry length [n] (w: [n]f64) : f64 =
  jvp (\w -> reduce (\a b -> f64.sqrt (a * a + b * b)) 0 w) w (replicate n 1)

-- | Of all parts from the beginning.
-- ==
-- entry: lengths
-- input { [3.0, 4.0, 12.0] }
-- output { [1.0, 1.4, 1.4615384615384615] }
entry lengths [n] (w: [n]f64) : [n]f64 =
  jvp (\w -> scan (\a b -> f64.sqrt (a * a + b * b)) 0 w) w (replicate n 1)

-- | Logarithms of sums of exponentials, in rows.
-- ==
-- entry: logsumexps
-- input { [[0.0, 0.0], [1.0, 1.0]] }
-- output { [1.0, 1.0] }
-- input { empty([2][0]f64) }
-- output { [0.0, 0.0] }
entry logsumexps [n][m] (w: [n][m]f64) : [n]f64 =
  jvp (map (reduce (\a b -> f64.log (f64.exp a + f64.exp b)) (-f64.inf))) w
      (replicate n (replicate m 1))

-- | The same by columns.
-- ==
-- entry: columns
-- input { [3.0, 4.0] }
-- output { [1.0, 1.0] }
-- input { empty([0]f64) }
-- output { [0.0, 0.0] }
entry columns [n] (w: [n]f64) : [2]f64 =
  let lse a b = f64.log (f64.exp a + f64.exp b)
  in jvp (\w -> reduce (map2 lse) [-f64.inf, -f64.inf] (map (\x -> [x, x]) w)) w (replicate n 1)
