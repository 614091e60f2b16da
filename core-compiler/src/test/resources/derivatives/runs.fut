-- The adjoints of scans of minima and maxima, which are summed by runs of equal results in chunks,
-- against a loop that follows the definition; around the length of a chunk.
-- ==
-- entry: minima maxima rows
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 5i64 } output { true }
-- input { 127i64 } output { true }
-- input { 128i64 } output { true }
-- input { 129i64 } output { true }
-- input { 300i64 } output { true }
-- input { 1025i64 } output { true }

-- whole numbers, so that sums are exact
def inputs (n: i64) : [6][n]f64 =
  let hash i = (i * 7919 + 13) % 1009
  in [ tabulate n (\i -> f64.i64 (-i))
     , tabulate n f64.i64
     , replicate n 3
     , tabulate n (\i -> f64.i64 (hash i))
     , tabulate n (\i -> f64.i64 (hash i % 3 - i / 50))
     , tabulate n (\i -> if i < n / 2 then f64.inf else f64.i64 (hash i)) ]

def adjoints (n: i64) : [n]f64 = tabulate n (\i -> f64.i64 (i % 17 + 1))

def expected [n] (better: f64 -> f64 -> bool) (e: f64) (xs: [n]f64) (ys: [n]f64) : [n]f64 =
  let start = (replicate n 0, e, -1)
  let (sums, _, _) =
    loop (sums, best, at) = start for i < n do
      let (best, at) = if better xs[i] best then (xs[i], i) else (best, at)
      in if at < 0 then (sums, best, at) else (sums with [at] = sums[at] + ys[i], best, at)
  in sums

def same [n] (xs: [n]f64) (ys: [n]f64) = and (map2 (==) xs ys)

entry minima (n: i64) =
  all (\xs -> same (vjp (scan f64.min f64.inf) xs (adjoints n)) (expected (<) f64.inf xs (adjoints n))) (inputs n)

entry maxima (n: i64) =
  all (\xs -> let ys = map f64.neg xs
              in same (vjp (scan f64.max (-f64.inf)) ys (adjoints n)) (expected (>) (-f64.inf) ys (adjoints n)))
      (inputs n)

entry rows (n: i64) =
  let each = vjp (map (scan f64.min f64.inf)) (inputs n) (replicate 6 (adjoints n))
  in and (map2 (\xs g -> same g (expected (<) f64.inf xs (adjoints n))) (inputs n) each)
