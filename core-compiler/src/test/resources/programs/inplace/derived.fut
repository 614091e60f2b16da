-- What derivatives return is their own, also where it is an argument handed through.
-- ==
-- entry: forward
-- input { [1.0, 2.0] [3.0, 4.0] } output { [99.0, 4.0] [1.0, 2.0] [3.0, 4.0] }
entry forward (x: [2]f64) (dx: [2]f64) =
  let r = jvp (\y -> y) x dx
  let r[0] = 99
  in (r, x, dx)

-- ==
-- entry: backward
-- input { [1.0, 2.0] [3.0, 4.0] } output { [99.0, 4.0] [1.0, 2.0] [3.0, 4.0] }
entry backward (x: [2]f64) (dx: [2]f64) =
  let r = vjp (\y -> y) x dx
  let r[0] = 99
  in (r, x, dx)

-- ==
-- entry: both
-- input { [1.0, 2.0] [3.0, 4.0] } output { [98.0, 2.0] [99.0, 4.0] [1.0, 2.0] [3.0, 4.0] }
entry both (x: [2]f64) (dx: [2]f64) =
  let (y, r) = vjp2 (\y -> y) x dx
  let y[0] = 98
  let r[0] = 99
  in (y, r, x, dx)

-- ==
-- entry: pair
-- input { [1.0, 2.0] [3.0, 4.0] } output { [99.0, 4.0] [3.0, 4.0] [3.0, 4.0] }
entry pair (x: [2]f64) (d: [2]f64) =
  let (a, b) = jvp (\y -> (y, y)) x d
  let a[0] = 99
  in (a, b, d)

-- ==
-- entry: added
-- input { [1.0, 2.0] [3.0, 4.0] } output { [99.0, 8.0] [3.0, 4.0] }
entry added (x: [2]f64) (d: [2]f64) =
  let r = vjp (\y -> (y, y)) x (d, d)
  let r[0] = 99
  in (r, d)

-- ==
-- entry: vectors
-- input { [1.0, 2.0] [[3.0, 4.0]] } output { [[99.0, 4.0]] [[3.0, 4.0]] [[99.0, 4.0]] }
entry vectors (x: [2]f64) (ds: [1][2]f64) =
  let r = jmp (\y -> y) x ds
  let r[0, 0] = 99
  let q = mjp (\y -> y) x ds
  let q[0, 0] = 99
  in (r, ds, q)
