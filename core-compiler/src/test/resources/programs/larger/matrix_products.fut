-- Products of matrices of whole numbers, which floats hold exactly, against the same in integers.

def entries (n: i64) (m: i64) (s: i64) = tabulate_2d n m (\i j -> (i * 31 + j * 17 + s) % 19 - 9)

def exact [n][m][p] (a: [n][m]i64) (b: [m][p]i64) : [n][p]i64 =
  map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a

def same [n][p] (c: [n][p]f64) (e: [n][p]i64) : bool =
  and (map2 (==) (flatten c) (map f64.i64 (flatten e)))

def f32s [n][m] (a: [n][m]i64) = map (map f32.i64) a
def f64s [n][m] (a: [n][m]i64) = map (map f64.i64) a
def wider [n][m] (a: [n][m]f32) = map (map f64.f32) a

def product32 [n][m][p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a

def product64 [n][m][p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 =
  map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a

-- ==
-- entry: products
-- input { 5i64 7i64 67i64 } output { true }
-- input { 259i64 4i64 5i64 } output { true }
-- input { 5i64 515i64 4i64 } output { true }
-- input { 7i64 4i64 131i64 } output { true }
-- input { 3i64 0i64 2i64 } output { true }
entry products n m p =
  let a = entries n m 1
  let b = entries m p 2
  let e = exact a b
  in same (product64 (f64s a) (f64s b)) e
     && same (wider (product32 (f32s a) (f32s b))) e

-- operands and results in other orders
-- ==
-- entry: orders
-- input { 9i64 13i64 18i64 } output { true }
entry orders n m p =
  let a = entries n m 1
  let b = entries m p 2
  let e = exact a b
  let at = copy (transpose (f64s a))
  let bt = copy (transpose (f64s b))
  let c1 = map (\r -> map (\c -> f64.sum (map2 (*) c r)) bt) (transpose at)
  let c2 = transpose (map (\c -> map (\r -> f64.sum (map2 (*) r c)) (f64s a)) bt)
  in same c1 e && same c2 e

-- several at once
-- ==
-- entry: batch
-- input { 2i64 9i64 13i64 18i64 } output { true }
-- input { 0i64 9i64 13i64 18i64 } output { true }
entry batch k n m p =
  let a = tabulate k (\i -> entries n m i)
  let b = tabulate k (\i -> entries m p (2 * i))
  let fa = map f64s a
  let fb = map f64s b
  let c = map2 (\x y -> map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose y)) x) fa fb
  let one = map (\x -> map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose (f64s (entries m p 5)))) x) fa
  in and (map2 same c (map2 exact a b))
     && and (map2 same one (map (\x -> exact x (entries m p 5)) a))

-- operands computed in place, and what happens to the product afterwards
-- ==
-- entry: fused
-- input { 9i64 13i64 18i64 } output { true }
entry fused n m p =
  let a = entries n m 1
  let b = entries m p 2
  let e = exact (map (map (\x -> x * x)) a) b
  let bias = map f64.i64 (iota p)
  let c = map (\r -> map2 (\col t -> f64.sum (map2 (*) (map (\x -> x * x) r) col) + t)
                          (transpose (f64s b)) bias)
              (f64s a)
  in same (map (map2 (\t x -> x - t) bias) c) e

-- derivatives are products too
-- ==
-- entry: derivative
-- input { 9i64 13i64 18i64 } output { true }
-- input { 5i64 33i64 34i64 } output { true }
entry derivative n m p =
  let a = entries n m 1
  let b = entries m p 2
  let g = entries n p 3
  let (da, db) = vjp (\(x, y) -> product64 x y) (f64s a, f64s b) (f64s g)
  in same da (exact g (transpose b)) && same db (exact (transpose a) g)

-- two products in one map, with scalar work before, between and after
-- ==
-- entry: layers
-- input { 7i64 17i64 19i64 } output { true }
entry layers n m p =
  let a = entries n m 1
  let b = entries m p 2
  let c = entries p m 3
  let step (x: [m]f64) =
    let y = map (+ 1) x
    let z = map (\col -> 2 * f64.sum (map2 (*) y col) - 1) (transpose (f64s b))
    in map2 (\v w -> v + w) x (map (\col -> f64.sum (map2 (*) z col)) (transpose (f64s c)))
  let e = map (map (+ 1)) a
  let e = map (map (\v -> 2 * v - 1)) (exact e b)
  let e = map2 (map2 (+)) a (exact e c)
  in same (map step (f64s a)) e

-- accumulation over two dimensions
-- ==
-- entry: twice
-- input { 3i64 5i64 33i64 34i64 } output { true }
entry twice k n m p =
  let a = tabulate k (\i -> entries n m i)
  let b = entries m p 2
  let g = tabulate k (\i -> entries n p (i + 3))
  let d = vjp (\y -> map (\x -> product64 (f64s x) y) a) (f64s b) (map f64s g)
  let e = reduce (map2 (map2 (+))) (replicate m (replicate p 0)) (map2 (\x h -> exact (transpose x) h) a g)
  in same d e

-- reductions of what products go into, and derivatives with factors that are computed at each point
-- ==
-- entry: forms
-- input { 11i64 3i64 17i64 18i64 } output { true }
-- input { 5i64 2i64 33i64 40i64 } output { true }
entry forms n k m p =
  let xs = entries n m 1
  let means = entries k m 2
  let ls = tabulate k (\i -> entries p m (i + 3))
  let form (x: [m]f64) (mean: [m]f64) (l: [p][m]f64) =
    let y = map2 (-) x mean
    in f64.sum (map (\row -> let t = f64.sum (map2 (*) row y) in t * t) l)
  let forms (means: [k][m]f64) (ls: [k][p][m]f64) = map (\x -> map2 (form x) means ls) (f64s xs)
  let least means ls = map f64.minimum (forms means ls)
  let all (means, ls) = f64.sum (map f64.sum (forms means ls))
  let centred (mean: [m]i64) = map (\x -> map2 (-) x mean) xs
  let ys = map2 (\mean l -> exact (centred mean) (transpose l)) means ls
  let (dm, dl) = vjp all (f64s means, map f64s ls) 1
  let el = map2 (\mean y -> map (map (* 2)) (exact (transpose y) (centred mean))) means ys
  let em = map2 (\l y -> map i64.sum (transpose (map (map (* (-2))) (exact y l)))) ls ys
  let en = map i64.minimum (transpose (map (map (\y -> i64.sum (map (\t -> t * t) y))) ys))
  in same dm em && and (map2 same dl el) && same [least (f64s means) (map f64s ls)] [en]
