-- Histograms and scatters of rows, against loops.

def row (m: i64) (i: i64) : [m]i32 = map (\j -> i32.i64 ((i * 7 + j * 3 + i * j) % 11) - 5) (iota m)
def places (n: i64) (k: i64) : [n]i64 = map (\i -> (i * 5 + 2) % (k + 2) - 1) (iota n)
def same [n] (a: [n]i32) (b: [n]i32) = and (map2 (==) a b)
def same2 [n][m] (a: [n][m]i32) (b: [n][m]i32) = and (map2 same a b)

def loops [n][k][m] (f: i32 -> i32 -> i32) (d: [k][m]i32) (is: [n]i64) (xs: [n][m]i32) : [k][m]i32 =
  loop d = copy d for (i, x) in zip is xs do
    if 0 <= i && i < k then d with [i] = map2 f d[i] x else d

-- ==
-- entry: sums most tuples pairs rows spread nested
-- input { 0i64 3i64 4i64 } output { true }
-- input { 1i64 1i64 1i64 } output { true }
-- input { 9i64 4i64 3i64 } output { true }
-- input { 40i64 3i64 33i64 } output { true }
-- input { 100i64 20i64 5i64 } output { true }

entry sums (n: i64) (k: i64) (m: i64) =
  let xs = tabulate n (row m)
  let d = tabulate k (row m)
  in same2 (reduce_by_index (copy d) (map2 (+)) (replicate m 0) (places n k) (map (map (* 2)) xs))
           (loops (+) d (places n k) (map (map (* 2)) xs))

entry most (n: i64) (k: i64) (m: i64) =
  let xs = tabulate n (row m)
  let d = replicate k (replicate m (-99))
  in same2 (reduce_by_index (copy d) (map2 i32.max) (replicate m (-99)) (places n k) xs)
           (loops i32.max d (places n k) xs)

-- scalars beside rows
entry tuples (n: i64) (k: i64) (m: i64) =
  let xs = tabulate n (row m)
  let is = places n k
  let (c, s) =
    unzip (reduce_by_index (zip (replicate k 0) (replicate k (replicate m 0)))
                           (\(a, v) (b, w) -> (a + b, map2 (+) v w)) (0, replicate m 0)
                           is (zip (replicate n 1) xs))
  in same c (hist (+) 0 k is (replicate n 1)) && same2 s (loops (+) (replicate k (replicate m 0)) is xs)

-- an operator on pairs, elementwise
entry pairs (n: i64) (k: i64) (m: i64) =
  let xs = tabulate n (row m)
  let op (v, i) (w, j) =
    unzip (map4 (\x i y j -> if x > y || x == y && i > j then (x, i) else (y, j)) v i w j)
  let is = places n k
  let (v, i) =
    unzip (reduce_by_index (replicate k (replicate m (-99), replicate m (-1))) op
                           (replicate m (-99), replicate m (-1)) is
                           (zip xs (map (\i -> replicate m (i32.i64 i)) (iota n))))
  let w = loops i32.max (replicate k (replicate m (-99))) is xs
  in same2 v w
     && and (flatten (map2 (map2 (\x j -> j < 0 || x == xs[i64.i32 j, 0] || m > 1)) v i))

entry rows (n: i64) (k: i64) (m: i64) =
  let is = map (\i -> if i < k then k - 1 - i else -1) (iota n)
  let xs = tabulate n (row m)
  let d = replicate k (replicate m 7)
  in same2 (scatter (copy d) is (map (map (+ 1)) xs)) (loops (\_ x -> x + 1) d is xs)

-- rows of rows
entry spread (n: i64) (k: i64) (m: i64) =
  let xs = tabulate n (\i -> [row m i, row m (i + 1)])
  let d = replicate k (replicate 2 (replicate m 0))
  let is = places n k
  let r = reduce_by_index d (map2 (map2 (+))) (replicate 2 (replicate m 0)) is xs
  in same2 (map (\r -> r[0]) r) (loops (+) (replicate k (replicate m 0)) is (map (\x -> x[0]) xs))
     && same2 (map (\r -> r[1]) r) (loops (+) (replicate k (replicate m 0)) is (map (\x -> x[1]) xs))

entry nested (n: i64) (k: i64) (m: i64) =
  let f (o: i64) =
    let xs = tabulate n (\i -> row m (i + o))
    in (reduce_by_index (replicate k (replicate m 0)) (map2 (+)) (replicate m 0) (places n k) xs,
        scatter (replicate k (replicate m 0)) (map (\i -> if i < k then i else -1) (iota n)) xs)
  let g (o: i64) =
    let xs = tabulate n (\i -> row m (i + o))
    in (loops (+) (replicate k (replicate m 0)) (places n k) xs,
        loops (\_ x -> x) (replicate k (replicate m 0)) (map (\i -> if i < k then i else -1) (iota n)) xs)
  in and (map2 (\(a, b) (c, d) -> same2 a c && same2 b d) (tabulate 3 f) (tabulate 3 g))
