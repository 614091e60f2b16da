-- Operators on arrays, against loops over the same rows: tuples of which only some components are
-- arrays, several operators at once, matrices of constant and of other sizes, inside and outside maps.

def mm [k] (a: [k][k]i32) (b: [k][k]i32) : [k][k]i32 =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a

def eye (k: i64) : [k][k]i32 = tabulate_2d k k (\i j -> i32.bool (i == j))

def row (m: i64) (i: i64) : [m]i32 = map (\j -> i32.i64 ((i * 7 + j * 3 + i * j) % 11) - 5) (iota m)

def matrices (n: i64) (k: i64) : [n][k][k]i32 =
  tabulate n (\i -> tabulate_2d k k (\a b -> i32.i64 ((i * 5 + a * 3 + b) % 4) - 1))

def fold 't 'a (f: t -> a -> t) (ne: t) (n: i64) (xs: [n]a) : t = loop r = ne for x in xs do f r x

def prefixes [n][k] (xs: [n][k][k]i32) : [n][k][k]i32 =
  let (_, ys) =
    loop (r, ys) = (eye k, map (map (map (const 0))) xs) for i < n do
      let r = mm r xs[i] in (r, ys with [i] = copy r)
  in ys

def same [n] (a: [n]i32) (b: [n]i32) = and (map2 (==) a b)
def same2 [n][m] (a: [n][m]i32) (b: [n][m]i32) = and (map2 same a b)
def same3 [n][m][k] (a: [n][m][k]i32) (b: [n][m][k]i32) = and (map2 same2 a b)

-- ==
-- entry: mixed several lexical onehots linear nestedhots nestedrows updated
-- input { 0i64 3i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 7i64 5i64 } output { true }
-- input { 33i64 40i64 } output { true }
-- input { 70i64 2i64 } output { true }

-- a scalar and a vector
entry mixed (n: i64) (m: i64) =
  let xs = tabulate n (row m)
  let (s, v) =
    reduce (\(s, v) (t, w) -> (s + t, map2 (+) v w)) (0, replicate m 0)
           (map (\r -> (i32.sum r, map (* 2) r)) xs)
  in s == fold (\s r -> s + i32.sum r) 0 n xs
     && same v (fold (\v r -> map2 (\a b -> a + b * 2) v r) (replicate m 0) n xs)

-- several at once, one of them a scan, and what is mapped beside them
entry several (n: i64) (m: i64) =
  let xs = tabulate n (row m)
  let ps = scan (map2 (+)) (replicate m 0) xs
  let (hi, lo) =
    reduce (\(a, b) (c, d) -> (map2 i32.max a c, map2 i32.min b d))
           (replicate m (-99), replicate m 99) (zip xs (map (map (+ 1)) xs))
  let total = fold (map2 (+)) (replicate m 0) n xs
  in same hi (fold (map2 i32.max) (replicate m (-99)) n xs)
     && same lo (fold (\v r -> map2 i32.min v (map (+ 1) r)) (replicate m 99) n xs)
     && (n == 0 || same total (last ps))

-- components that need each other
entry lexical (n: i64) (m: i64) =
  let xs = tabulate n (row m)
  let op (v, i) (w, j) =
    unzip (map4 (\x i y j -> if x > y || x == y && i < j then (x, i) else (y, j)) v i w j)
  let ne = (replicate m (-99), replicate m (-1))
  let (v, i) = reduce op ne (zip xs (map (\i -> replicate m (i32.i64 i)) (iota n)))
  let (w, j) = fold op ne n (zip xs (map (\i -> replicate m (i32.i64 i)) (iota n)))
  in same v w && same i j

-- rows that are not made by mapping
entry onehots (n: i64) (k: i64) =
  let is = map (\i -> (i * 5 + 2) % k) (iota n)
  let one i = let r = replicate k 0i32 in r with [i] = 1
  let counts = reduce (map2 (+)) (replicate k 0) (map one is)
  in same counts (hist (+) 0 k is (replicate n 1))

-- linear functions of each column
entry linear (n: i64) (m: i64) =
  let xs = tabulate n (row m)
  let op (a, b) (c, d) = (map2 (*) a c, map3 (\b c d -> b * c + d) b c d)
  let ne = (replicate m 1, replicate m 0)
  let (a, b) = unzip (scan op ne (zip xs (map (map (+ 1)) xs)))
  let (c, d) = fold op ne n (zip xs (map (map (+ 1)) xs))
  in n == 0 || same (last a) c && same (last b) d

-- rows that are not made by mapping, inside a map; and prefixes of rows
entry nestedhots (n: i64) (k: i64) =
  let iss = tabulate 3 (\o -> map (\i -> (i * 5 + o) % k) (iota n))
  let one i = let r = replicate k 0i32 in r with [i] = 1
  let counts = map (\is -> reduce (map2 (+)) (replicate k 0) (map one is)) iss
  in same2 counts (map (\is -> hist (+) 0 k is (replicate n 1)) iss)

entry nestedrows (n: i64) (m: i64) =
  let xss = tabulate 3 (\o -> tabulate n (\i -> row m (i + o)))
  let f [n][m] (xs: [n][m]i32) =
    reduce (\(s, v) (t, w) -> (s + t, map2 (+) v w)) (0, replicate m 0)
           (map (\r -> let s = scan (+) 0 r in (i32.sum s, s)) xs)
  let g [n][m] (xs: [n][m]i32) =
    fold (\(s, v) r -> let p = scan (+) 0 r in (s + i32.sum p, map2 (+) v p)) (0, replicate m 0) n xs
  in and (map2 (\(s, v) (t, w) -> s == t && same v w) (map f xss) (map g xss))

-- a loop in a map that overwrites the same place at all points
entry updated (n: i64) (m: i64) =
  let f (o: i64) =
    let ys = loop ys = replicate n (replicate m 0) for i < n do ys with [i] = map (+ i32.i64 i) (row m o)
    in (map i32.sum ys, ys[n / 2:])
  let g (o: i64) =
    let ys = tabulate n (\i -> map (+ i32.i64 i) (row m o)) in (map i32.sum ys, ys[n / 2:])
  in and (map2 (\(a, b) (c, d) -> same a c && and (map2 same b d)) (tabulate 4 f) (tabulate 4 g))

-- ==
-- entry: products products3 nested nested3 vectors
-- input { 0i64 3i64 } output { true }
-- input { 1i64 2i64 } output { true }
-- input { 2i64 2i64 } output { true }
-- input { 5i64 1i64 } output { true }
-- input { 8i64 2i64 } output { true }
-- input { 19i64 3i64 } output { true }

entry products (n: i64) (k: i64) =
  let xs = matrices n k
  in same2 (reduce mm (eye k) xs) (fold mm (eye k) n xs)
     && same3 (scan mm (eye k) xs) (prefixes xs)

-- of constant size
entry products3 (n: i64) (_: i64) =
  let xs = matrices n 3
  in same2 (reduce mm (eye 3) xs) (fold mm (eye 3) n xs)
     && same3 (scan mm (eye 3) xs) (prefixes xs)

entry nested (n: i64) (k: i64) =
  let xss = tabulate 3 (\i -> map (map (map (+ i32.i64 i))) (matrices n k))
  in same3 (map (reduce mm (eye k)) xss) (map (fold mm (eye k) n) xss)
     && and (map2 same3 (map (scan mm (eye k)) xss) (map prefixes xss))

entry nested3 (n: i64) (_: i64) =
  let xss = tabulate 3 (\i -> map (map (map (+ i32.i64 i))) (matrices n 3))
  in same3 (map (reduce mm (eye 3)) xss) (map (fold mm (eye 3) n) xss)
     && and (map2 same3 (map (scan mm (eye 3)) xss) (map prefixes xss))

-- vectors in a map, beside what else is made of them
entry vectors (n: i64) (m: i64) =
  let xss = tabulate 4 (\i -> tabulate n (\j -> row m (i + j)))
  let f [n][m] (xs: [n][m]i32) =
    reduce (\(s, v) (t, w) -> (i32.max s t, map2 (+) v w)) (-99, replicate m 0)
           (map (\r -> (i32.sum r, map (* 2) r)) xs)
  let g [n][m] (xs: [n][m]i32) =
    fold (\(s, v) r -> (i32.max s (i32.sum r), map2 (\a b -> a + 2 * b) v r)) (-99, replicate m 0) n xs
  in and (map2 (\(s, v) (t, w) -> s == t && same v w) (map f xss) (map g xss))
