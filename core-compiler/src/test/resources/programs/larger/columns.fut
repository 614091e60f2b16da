-- Reductions of columns run over rows as they lie. Each is compared with what loops over the
-- transposed array give. Numbers are small integers, so that the order of sums doesn't matter.

def table (n: i64) (m: i64): [n][m]i32 =
  tabulate_2d n m (\i j -> i32.i64 ((i * 7919 + j * 104729 + i * j) % 1009) - 500)

def down [n][m] 'a 'b (f: [n]a -> b) (xss: [n][m]a): [m]b = map f (transpose xss)

def folded [n] 'a (op: a -> a -> a) (ne: a) (xs: [n]a): a = loop s = ne for x in xs do op s x

def by_loops [n][m] (op: i32 -> i32 -> i32) (ne: i32) (xss: [n][m]i32): [m]i32 =
  let step (s: *[m]i32) (xs: [m]i32) =
    loop s for j < m do s with [j] = op (copy s[j]) xs[j]
  in loop s = replicate m ne for xs in xss do step s xs

def equal [m] (a: [m]i32) (b: [m]i32): bool = and (map2 (==) a b)

-- ==
-- entry: sums
-- input { 0i64 0i64 } output { true }
-- input { 0i64 5i64 } output { true }
-- input { 5i64 0i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 7i64 20i64 } output { true }
-- input { 8i64 1i64 } output { true }
-- input { 9i64 17i64 } output { true }
-- input { 5i64 1025i64 } output { true }
-- input { 200i64 3i64 } output { true }
-- input { 131i64 37i64 } output { true }
entry sums (n: i64) (m: i64): bool =
  let t = table n m
  in equal (down i32.sum t) (by_loops (+) 0 t)
     && equal (down i32.maximum t) (by_loops i32.max i32.lowest t)
     && equal (reduce (map2 (+)) (replicate m 0) t) (by_loops (+) 0 t)

-- Affine maps, which don't commute.
-- ==
-- entry: compositions
-- input { 8i64 1i64 } output { true }
-- input { 10i64 19i64 } output { true }
-- input { 300i64 5i64 } output { true }
-- input { 141i64 33i64 } output { true }
entry compositions (n: i64) (m: i64): bool =
  let t = map (map (\x -> (x % 7, x))) (table n m)
  let op (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)
  let one = down (reduce op (1, 0)) t
  let two = down (folded op (1, 0)) t
  in and (map2 (==) one two)

-- The largest of a column and where it is.
-- ==
-- entry: places
-- input { 8i64 4i64 } output { true }
-- input { 77i64 35i64 } output { true }
-- input { 500i64 2i64 } output { true }
entry places (n: i64) (m: i64): bool =
  let t = table n m
  let larger (i: i64, x: i32) (j: i64, y: i32) =
    if y > x || (y == x && j < i) then (j, y) else (i, x)
  let place f = down (\xs -> f larger (i64.highest, i32.lowest) (zip (iota n) xs)) t
  in and (map2 (==) (place (\op ne xs -> reduce_comm op ne xs)) (place (\op ne xs -> folded op ne xs)))

-- Several reductions in turn, with what depends on the column.
-- ==
-- entry: variances
-- input { 3i64 4i64 } output { true }
-- input { 8i64 18i64 } output { true }
-- input { 150i64 40i64 } output { true }
entry variances (n: i64) (m: i64): bool =
  let t = table n m
  let w = map (\j -> i32.i64 (j % 5)) (iota m)
  let spread f g =
    map2 (\xs k ->
      let mean = f xs / i32.i64 n + k
      in k + g mean xs) (transpose t) w
  let one = spread i32.sum (\mean xs -> i32.sum (map (\x -> (x - mean) * (x - mean)) xs))
  let two = spread (folded (+) 0) (\mean xs -> folded (\s x -> s + (x - mean) * (x - mean)) 0 xs)
  in equal one two

-- A row of factors, indices, a batch, and two results.
-- ==
-- entry: mixed
-- input { 2i64 9i64 7i64 } output { true true true }
-- input { 3i64 64i64 33i64 } output { true true true }
-- input { 0i64 64i64 33i64 } output { true true true }
-- input { 1i64 5i64 1100i64 } output { true true true }
entry mixed (b: i64) (n: i64) (m: i64): (bool, bool, bool) =
  let t = table n m
  let ws = map (\i -> i32.i64 (i % 11)) (iota n)
  let weighted = down (\xs -> i32.sum (map2 (*) xs ws)) t
  let indexed = map (\j -> i32.sum (map (\i -> t[i, j] * ws[i]) (iota n))) (iota m)
  let ts = map (\k -> map (map (+ i32.i64 k)) t) (iota b)
  let both = map (\t' -> map (\xs -> (i32.sum xs, i32.minimum xs)) (transpose t')) ts
  let loops =
    map (\t' -> zip (by_loops (+) 0 t') (by_loops i32.min i32.highest t')) ts
  in ( equal weighted indexed
     , equal weighted (by_loops (+) 0 (map2 (\w -> map (* w)) ws t))
     , and (map2 (\x y -> and (map2 (==) x y)) both loops))

-- NaN is ignored by minima of floats; sums of nothing are neutral.
-- ==
-- entry: floats
-- input { [[1f32, f32.nan, 3f32], [f32.nan, f32.nan, 2f32], [0f32, f32.nan, 1f32], [0f32, 1f32, 1f32],
--          [1f32, f32.nan, 3f32], [5f32, f32.nan, 2f32], [0f32, f32.nan, 1f32], [0f32, 1f32, 1f32]] }
-- output { [0f32, 1f32, 1f32] }
entry floats [n][m] (t: [n][m]f32): [m]f32 = map f32.minimum (transpose t)
