-- Functions whose results' sizes follow from an argument, given to functions that don't know that:
-- each call's result has a size of its own.

def apply '^a '^b (f: a -> b) (x: a) : b = f x

def (||>) '^a '^b (x: a) (f: a -> b) : b = f x

def plus (n: i64) : [n + 1]i64 = iota (n + 1)

-- ==
-- entry: applied
-- input { 5i64 } output { 10i64 6i64 6i64 }
-- input { 0i64 } output { 0i64 1i64 1i64 }

entry applied (n: i64) =
  (i64.sum (apply iota n), length (apply plus n), length (n ||> plus ||> map (+ 1)))

def uncurried '^a '^b '^c (f: a -> b -> c) (x: a, y: b) : c = f x y

def table 't (x: t) (n: i64) (m: i64) : [n][m]t = replicate n (replicate m x)

-- ==
-- entry: two_sizes
-- input { 2i64 3i64 } output { [[7, 7, 7], [7, 7, 7]] 2i64 [5, 5, 5] }

entry two_sizes (n: i64) (m: i64) =
  ( uncurried (table 7i32) (n, m)
  , length (uncurried (table 3i32) (n, m))
  , flip replicate 5i32 m )

-- ==
-- entry: in_a_map
-- input { 2i64 [1i64, 2] } output { [0i64, 0] [3i64, 4] }

entry in_a_map (n: i64) (ms: []i64) =
  let f (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (+)
  in ( map (\m -> (apply (f n) m)[0, 0]) ms
     , map (\m -> length (uncurried (table true) (n, m)) + m) ms )

def image k (w: i64) (h: i64) (t: f32) = tabulate_2d h w (\i j -> k * f32.i64 (i + j) * t)

def render '~image (f: i64 -> i64 -> f32 -> image) (w: i64) = f w 3 0.5

def render_any (f: i64 -> i64 -> f32 -> [][]f32) (w: i64) = f w 3 0.5

type^ scene '~image = {draw: i64 -> i64 -> f32 -> image, time: f32}

def render_scene '~image (s: scene image) (w: i64) = s.draw w 3 s.time

def shape [h] [w] 't (_: [h][w]t) = (h, w)

-- ==
-- entry: images
-- input { 2i64 } output { 3i64 2i64 [[0f32, 0.5], [0.5, 1], [1, 1.5]] 3i64 2i64 1f32 }

entry images (w: i64) =
  let (a, b) = shape (render (image 1) w)
  let (c, d) = shape (render_scene {draw = image 1, time = 0.5} w)
  in (a, b, render_any (image 1) w, c, d, (id (image 1) w 3 0.5f32)[w, 0])

-- Two results of one function have two sizes.

def both '^a '^b (f: a -> b) (x: a) (y: a) : (b, b) = (f x, f y)

-- ==
-- entry: each_its_own each_partially
-- input { 3i64 2i64 } output { 3i64 2i64 [1i64, 2] }

entry each_its_own (n: i64) (m: i64) =
  let (a, b) = both iota n m
  in (length a, length b, map (+ 1) b)

entry each_partially (n: i64) (m: i64) =
  let f = both iota
  let (a, b) = f n m
  in (length a, length b, map (+ 1) b)

-- ==
-- entry: filtered
-- input { [1, 2, -1] [1, -2, -3] } output { [1, 2] [1] 2i64 }

entry filtered [n] (xs: [n]i32) (ys: [n]i32) =
  let (a, b) = both (filter (> 0)) xs ys
  in (a, b, length (zip a a))

-- ==
-- entry: in_a_record
-- input { 2i64 } output { 5i64 1i64 }

entry in_a_record (n: i64) =
  let twice '^b (f: i64 -> b) : {a: b, c: b} = {a = f n, c = f (n + 1)}
  let r = twice (\k -> (iota k, k - 1))
  in (length r.a.0 + length r.c.0, r.a.1)

-- With a function that is written in place beside it.

def compose '^a '^b '^c (g: b -> c) (f: a -> b) (x: a) : c = g (f x)

def split_by '^a '^b '^c (f: a -> b) (g: a -> c) (x: a) : (b, c) = (f x, g x)

-- ==
-- entry: beside_lambdas
-- input { 2i64 } output { [0i64, 1] 5i64 [0i64, 1] }

entry beside_lambdas (n: i64) =
  let (a, b) = split_by iota (\n -> iota (n + 1)) n
  in ( compose (\xs -> xs) iota n
     , length a + length b
     , compose (\xs -> if n > 3 then xs else xs) iota n )

-- What the function that is given gets and gives is chosen at run time.

def pick '^a '~b (c: bool) (f: a -> b) (x: a) (y: a) : b = if c then f x else f y

def pick_local '^a '~b (c: bool) (f: a -> b) (x: a) : b =
  let g y = f y
  in if c then g x else let z = g x in z

-- ==
-- entry: chosen
-- input { 3i64 } output { 4i64 3i64 [2i64] }
-- input { 4i64 } output { 4i64 4i64 [2i64, 3] }

entry chosen (n: i64) =
  ( length (pick (n > 3) iota n (n + 1))
  , length (pick_local (n > 3) iota n)
  , pick_local (n > 3) (filter (> 1)) (iota n) )

-- The sizes stay apart through names, local functions and several levels.

def both_named '^a '^b (f: a -> b) (n: i64) (x: a) (y: a) : ([n]i32, b, b) =
  (replicate n 1, f x, f y)

def outer '^a '^b (f: a -> b) (x: a) (y: a) = both (both f x) y x

def repeated '~b (f: i64 -> b) (n: i64) (k: i64) : b = loop x = f k for i < n do f (k + i + 1)

-- ==
-- entry: apart
-- input { 2i64 3i64 } output { 2i64 3i64 3i64 [2i64, 3, 2, 2] 2i64 3i64 [0i64, 1, 2, 3, 4] }

entry apart (n: i64) (m: i64) =
  let (c, a, b) = both_named iota 3 n m
  let ((d, e), (g, h)) = outer iota n m
  let local_both f x y = (f x, f y)
  let (i, j) = local_both iota n m
  in ( length a
     , length b
     , length (zip c [1, 2, 3i32])
     , [length d, length e, length g, length h]
     , length i
     , length j
     , repeated iota n m )

-- ==
-- entry: derived
-- input { 3i64 2f64 } output { 24f64 }

entry derived (n: i64) (x: f64) =
  vjp (\x -> f64.sum (map (\y -> y * y) (apply (\k -> replicate k x) n))) x 2
