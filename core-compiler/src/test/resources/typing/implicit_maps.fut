-- Calls with arguments of more dimensions than the parameters.
#[automap] def f1 (xs: []i32) = xs + 1
#[automap] def f2 (xs: []f32) (ys: []f32) = xs * ys + 2
#[automap] def f3 [n][m] (xss: [n][m]f32) (ys: [m]f32) = xss + ys
#[automap] def f4 (xs: []f32) = f32.sqrt xs
#[automap] def g (x: i32) (y: i32) = x * y
#[automap] def f5 (xs: []i32) = g xs 2
#[automap] def f6 (xss: [][]i32) = i32.sum xss
#[automap] def f7 (xs: []i32) = -xs
#[automap] def f8 (xs: []bool) = !xs
#[automap] def f9 [n] (xs: [n]i32) (ys: [n]i32) = 2 * xs - ys
#[automap] def f10 (xs: []i32) = i32.sum (xs ** 2)
#[automap] def f11 [n][m][p] (a: [n][m]f32) (b: [m][p]f32) = map (\r -> f32.sum (transpose b * r)) a
#[automap] def f12 (xs: []i64) = xs |> i32.i64
#[automap] def n1 [n][m] (xss: [n][m]f32) = map (\r -> r * 2) xss
#[automap] def n2 [n][m] (xss: [n][m]f32) = xss |> map (\r -> f32.sum (r * r))
#[automap] def n3 [n][m] (xss: [n][m]f32) = xss |> map (map (+1)) |> map f32.sum |> f32.sum
