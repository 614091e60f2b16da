-- Bodies that are translated twice, for updates in shared memory and in device memory: a row is
-- made before the index is computed at which it is put.

def history (x: f64) (w: [2]f64): [4][2]f64 =
  loop a = replicate 4 [x, x] for t < 4 do
    let u = map (* x) w
    in a with [t / 2] = u

-- ==
-- entry: sums
-- input { [0i64, 1i64, 2i64, 3i64, 1i64] [1.0, 2.0, 3.0, 4.0, 5.0] [10.0, 20.0] }
-- output { [10.0, 70.0, 30.0, 40.0] }

entry sums [b] (is: [b]i64) (xs: [b]f64) (w: [2]f64): [4]f64 =
  hist (+) 0 4 is (map (\x -> (history x w)[1, 0]) xs)

-- Each product goes to a row from the end.
def recurrent [n] (w: [2][2]f64) (xs: [n][2]f64): f64 =
  let (a, _) =
    loop (a, y) = (replicate n [0.5, 0.25], [1.0, 1.0]) for t < n do
      let u = map2 (\r x -> x + f64.sum (map2 (*) r y)) w xs[t]
      in (a with [n - 1 - t] = u, [u[1], u[0]])
  in f64.sum (map f64.sum a)

-- ==
-- entry: gradient
-- input { [[0.5, 0.25], [0.125, 1.0]] [[[1.0, 2.0], [0.0, 1.0]], [[2.0, 0.0], [1.0, 1.0]]] }
-- output { [[8.75, 9.0], [7.5, 7.75]] }

entry gradient [b] [n] (w: [2][2]f64) (xss: [b][n][2]f64): [2][2]f64 =
  vjp (\w -> f64.sum (map (recurrent w) xss)) w 1
