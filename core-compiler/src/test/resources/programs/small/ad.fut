-- ==
-- entry: grad
-- input { [1.0,2.0,3.0] } output { [2.0,4.0,6.0] }
-- ==
-- entry: hess
-- input { [1.0,2.0] } output { [[6.0,0.0],[0.0,12.0]] }
-- ==
-- entry: jv
-- input { 2.0 } output { 4.0 }
-- ==
-- entry: softmax
-- input { [1.0, 2.0] } output { [-0.1966119, 0.1966119] }
entry grad (xs: []f64) = vjp (\ys -> f64.sum (map (\y -> y * y) ys)) xs 1
entry hess [n] (xs: [n]f64) =
  let g = vjp (\ys -> f64.sum (map (\y -> y * y * y) ys))
  in map (\i -> jvp (\zs -> g zs 1) xs (tabulate n (\j -> f64.bool (i == j)))) (iota n)
entry jv (x: f64) = jvp (\y -> y * y) x 1
entry softmax [n] (xs: [n]f64) = vjp (\ys -> let es = map f64.exp ys in (es[1] / f64.sum es)) xs 1
