-- Filters that count and write in one pass, compared with loops.

def numbers (n: i64): [n]i32 = map (\i -> i32.i64 ((i * 7919 + i * i) % 1009)) (iota n)

def by_loop [n] 'a (p: a -> bool) (dummy: a) (xs: [n]a): []a =
  let (k, ys) =
    loop (k, ys) = (0, replicate n dummy) for x in xs do
      if p x then (k + 1, ys with [k] = x) else (k, ys)
  in take k ys

def same [n] [m] 'a (eq: a -> a -> bool) (xs: [n]a) (ys: [m]a): bool =
  n == m && and (map2 eq xs (sized n ys))

-- ==
-- entry: kinds
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 15i64 } output { true }
-- input { 16i64 } output { true }
-- input { 17i64 } output { true }
-- input { 1003i64 } output { true }
-- input { 40000i64 } output { true }
entry kinds (n: i64): bool =
  let xs = numbers n
  let check 'a (conv: i32 -> a) (eq: a -> a -> bool) =
    let ys = map conv xs
    let both p = same eq (filter (\y -> p (eq y (conv 3)) y) ys) (by_loop (\y -> p (eq y (conv 3)) y) (conv 0) ys)
    in both (\b _ -> b) && both (\b _ -> !b) && both (\_ _ -> true) && both (\_ _ -> false)
  in check (\x -> x % 5) (==)
     && check (\x -> i64.i32 x % 5) (==)
     && check (\x -> u8.i32 (x % 5)) (==)
     && check (\x -> i16.i32 (x % 5)) (==)
     && check (\x -> f32.i32 (x % 5)) (==)
     && check (\x -> f64.i32 (x % 5)) (==)
     && check (\x -> x % 5 == 3) (==)

-- Several arrays of different types, places, and what is computed for the purpose.
-- ==
-- entry: tuples
-- input { 0i64 } output { true }
-- input { 33i64 } output { true }
-- input { 5000i64 } output { true }
entry tuples (n: i64): bool =
  let xs = numbers n
  let ts = zip4 (iota n) xs (map f64.i32 xs) (map (\x -> x % 2 == 0) xs)
  let p (i: i64, x: i32, y: f64, b: bool) = (x > 300 || i % 7 == 0) && (y < 900 || b)
  let eq (a: (i64, i32, f64, bool)) b = a.0 == b.0 && a.1 == b.1 && a.2 == b.2 && a.3 == b.3
  let mapped = map (\x -> f32.exp (f32.i32 (x % 10))) xs
  in same eq (filter p ts) (by_loop p (0, 0, 0, false) ts)
     && same (==) (map (* 2) (filter (> 50) mapped)) (by_loop (> 100) 0 (map (* 2) mapped))

-- ==
-- entry: parts
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 31i64 } output { true }
-- input { 3000i64 } output { true }
entry parts (n: i64): bool =
  let xs = numbers n
  let (a, b) = partition (\x -> x % 3 == 0) xs
  let (c, d, e) = partition2 (\x -> x % 3 == 0) (\x -> x % 3 == 1) xs
  let by k = by_loop (\x -> x % 3 == k) 0 xs
  in same (==) a (by 0) && same (==) b (by_loop (\x -> x % 3 != 0) 0 xs)
     && same (==) c (by 0) && same (==) d (by 1) && same (==) e (by 2)

-- Two of the same array, one of another's result, one whose flags are used elsewhere.
-- ==
-- entry: several
-- input { 0i64 } output { true }
-- input { 20i64 } output { true }
-- input { 2500i64 } output { true }
entry several (n: i64): bool =
  let xs = numbers n
  let small = filter (< 500) xs
  let large = filter (>= 500) xs
  let even = filter (\x -> x % 2 == 0) small
  let flags = map (\x -> x % 5 == 0) xs
  let fives = filter (.0) (zip flags xs)
  let counts = scan (+) 0 (map i64.bool flags)
  in same (==) (small ++ large) (by_loop (< 500) 0 xs ++ by_loop (>= 500) 0 xs)
     && same (==) even (by_loop (\x -> x < 500 && x % 2 == 0) 0 xs)
     && same (==) (map (.1) fives) (by_loop (\x -> x % 5 == 0) 0 xs)
     && length fives == i64.sum (map i64.bool flags)
     && (n == 0 || counts[n - 1] == length fives)

-- Sieves: what a loop carries shrinks; quicksort's way; rows; results that are overwritten.
-- ==
-- entry: loops
-- input { 2i64 } output { empty([0]i64) empty([0]i64) }
-- input { 60i64 } output { [7i64, 11i64, 13i64, 17i64, 19i64, 23i64, 29i64, 31i64, 37i64, 41i64, 43i64, 47i64, 53i64, 59i64] [0i64, 11i64, 13i64, 17i64, 19i64, 23i64, 29i64, 31i64, 37i64, 41i64, 43i64, 47i64, 53i64, 59i64] }
entry loops (n: i64): ([]i64, []i64) =
  let xs = loop xs = filter (> 5) (iota n) for p in [2, 3, 5, 7] do
    filter (\x -> x % p != 0 || x == p) xs
  let ys = copy xs
  in (xs, if length ys > 0 then ys with [0] = 0 else ys)

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4], [1, 5], [0, 0], [1, 1]] } output { [[1, 2], [1, 5], [1, 1]] [2, 5, 1] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) empty([0]i32) }
entry rows [n] (xss: [n][2]i32): ([][2]i32, []i32) =
  let kept = filter (\xs -> xs[0] == 1) xss
  in (kept, map (\xs -> xs[1]) kept)

-- ==
-- entry: fails
-- input { [0i64, 2i64, 1i64] [5, 1, 7] } output { [0i64, 1i64] }
-- input { [0i64, 3i64, 1i64] [5, 1, 7] } error: Index \[3\] out of bounds
-- input { empty([0]i64) [5, 1, 7] } output { empty([0]i64) }
entry fails [n] [m] (is: [n]i64) (xs: [m]i32): []i64 = filter (\i -> xs[i] == 5 || i == 1) is

-- ==
-- entry: inside
-- input { [3i64, 0i64, 10i64] } output { [1i64, 0i64, 4i64] }
entry inside [n] (ns: [n]i64): [n]i64 =
  map (\n -> length (filter (\i -> i % 3 == 1) (iota (n + 1))) + (if n == 10 then 0 else 0)) ns

-- ==
-- entry: nans
-- input { [1f32, f32.nan, -2f32, f32.inf, f32.nan] } output { [1f32, f32.inf] [f32.nan, f32.nan] }
entry nans (xs: []f32): ([]f32, []f32) = (filter (> 0) xs, filter f32.isnan xs)

-- Only how many there are.
-- ==
-- entry: counts
-- input { 0i64 } output { 0i64 0i64 0i32 0i64 }
-- input { 1i64 } output { 1i64 1i64 0i32 0i64 }
-- input { 16i64 } output { 5i64 1i64 2i32 3i64 }
-- input { 1003i64 } output { 302i64 72i64 143i32 200i64 }
entry counts (n: i64): (i64, i64, i32, i64) =
  let xs = map (\i -> f32.i64 ((i * i) % 10)) (iota n)
  let is = map i64.f32 xs
  in ( length (filter (< 3) xs)
     , length (filter (\(i, x) -> i % 7 == 0 && x < 5) (zip (iota n) xs))
     , i32.sum (map (\i -> if i % 7 == 6 then 1 else 0) (map i32.i64 (iota n)) |> map2 (\_ x -> x) xs)
     , i64.sum (map (\x -> i64.bool (x > 8)) (map2 (\i j -> i64.max i (j * 0)) is is)) )
