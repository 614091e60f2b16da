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

-- | Lengths up to a limit: the neutral element leaves no number beyond it as it is.
-- ==
-- entry: limited
-- input { [3.0] 2.0 }
-- output { 2.0 1.0 1.0 [0.0] [2.0] }
-- input { [3.0, 4.0] 10.0 }
-- output { 5.0 0.0 0.0 [0.6, 0.8] [0.0] }
entry limited [n] (w: [n]f64) (c: f64) : (f64, f64, f64, [n]f64, [1]f64) =
  let f w c = reduce (\a b -> f64.min c (f64.sqrt (a * a + b * b))) 0 w
  let bins c = hist (\a b -> f64.min c (f64.sqrt (a * a + b * b))) 0 1 (replicate n 0) w
  in (f w c, jvp (f w) c 1, vjp (f w) c 1, vjp (\w -> f w c) w 1, jvp bins c (2 * 1))

-- | Complex numbers of length 1, as products that are normalised.
-- ==
-- entry: turned
-- input { [3.0] [4.0] }
-- output { [0.6] [0.8] [0.128] [-0.096] }
entry turned [n] (xs: [n]f64) (ys: [n]f64) : ([n]f64, [n]f64, [n]f64, [n]f64) =
  let f xs =
    unzip (scan (\(a, b) (c, d) ->
                   let (x, y) = (a * c - b * d, a * d + b * c)
                   let l = f64.sqrt (x * x + y * y)
                   in (x / l, y / l))
                (1, 0) (zip xs ys))
  let ((a, b), (da, db)) = jvp2 f xs (replicate n 1)
  in (a, b, da, db)

-- | Second derivatives of lengths in bins, one of which has a single element.
-- ==
-- entry: bins_twice
-- input { [0i64, 1i64, 0i64] [3.0, 4.0, 4.0] [1.0, 1.0, 0.0] }
-- output { [0.128, 0.0, -0.096] [0.128, 0.0, -0.096] }
entry bins_twice [n] (is: [n]i64) (w: [n]f64) (d: [n]f64) : ([n]f64, [n]f64) =
  let f w = hist (\a b -> f64.sqrt (a * a + b * b)) 0 3 is w
  let g w = vjp f w [1, 1, 1]
  in (jvp g w d, vjp g w d)
