-- Third derivatives, all in reverse, against forward over reverse and central differences of the second.
-- ==
-- entry: general_reduction linear_functions matrix_scan minima
-- input { [0.3f64, 0.7f64, -0.4f64] [1f64, 2f64, 0.5f64] [0.3f64, -1f64, 2f64] } output { true true }
-- input { [0.3f64] [2f64] [-1f64] } output { true true }

def times2 (a0: f64, a1: f64) ((b00, b01), (b10, b11)) : (f64, f64) =
  (a0 * b00 + a1 * b10, a0 * b01 + a1 * b11)

def matmul (a: ((f64, f64), (f64, f64))) (b: ((f64, f64), (f64, f64))) = (times2 a.0 b, times2 a.1 b)

def first [n] (f: [n]f64 -> f64) (x: [n]f64) : [n]f64 = vjp f x 1
def along [n] (v: [n]f64) (g: [n]f64 -> [n]f64) (x: [n]f64) : f64 = f64.sum (map2 (*) v (g x))
def second [n] (f: [n]f64 -> f64) (v: [n]f64) (x: [n]f64) : [n]f64 = first (along v (first f)) x
def third [n] (f: [n]f64 -> f64) (v: [n]f64) (w: [n]f64) (x: [n]f64) : [n]f64 = first (along w (second f v)) x

def close [n] (e: f64) (a: [n]f64) (b: [n]f64) : bool =
  and (map2 (\x y -> f64.abs (x - y) <= e * (1 + f64.abs x)) a b)

def check [n] (f: [n]f64 -> f64) (x: [n]f64) (v: [n]f64) (w: [n]f64) : (bool, bool) =
  let t = third f v w x
  let at e = second f v (map2 (\a b -> a + e * b) x w)
  in (close 1e-9 t (jvp (second f v) x w), close 1e-5 t (map2 (\a b -> (a - b) / 2e-5) (at 1e-5) (at (-1e-5))))

entry general_reduction [n] (x: [n]f64) (v: [n]f64) (w: [n]f64) =
  check (reduce (\x y -> x + y + x * y) 0) x v w

entry linear_functions [n] (x: [n]f64) (v: [n]f64) (w: [n]f64) =
  check (\x -> let (b, c) = reduce (\(b1, c1) (b2, c2) -> (b2 + c2 * b1, c1 * c2)) (0, 1) (map (\x -> (x * x, x)) x)
               in b * c) x v w

entry matrix_scan [n] (x: [n]f64) (v: [n]f64) (w: [n]f64) =
  check (\x -> scan matmul ((1, 0), (0, 1)) (map (\x -> ((x, 1), (x * x, 2))) x)
               |> map (\((a, b), (c, d)) -> a + b * c + d) |> f64.sum) x v w

entry minima [n] (x: [n]f64) (v: [n]f64) (w: [n]f64) =
  check (\x -> f64.sum (map (\y -> y * y * y) (scan f64.min f64.inf x)) + f64.minimum x ** 3) x v w
