-- A small recurrent cell over a sequence, and the gradient of its loss in the weights.
-- ==
-- input { [[0.5f64, -0.5f64], [0.25f64, 0.1f64]] [[1f64, 0f64], [0f64, 1f64], [1f64, 1f64]] } output { true }

def cell [h] (w: [h][h]f64) (state: [h]f64) (x: [h]f64) : [h]f64 =
  map2 (\row xi -> f64.tanh (xi + f64.sum (map2 (*) row state))) w x

def loss [h] [t] (w: [h][h]f64) (xs: [t][h]f64) : f64 =
  let final = loop s = replicate h 0 for x in xs do cell w s x
  in f64.sum (map (\v -> v * v) final)

def main [h] [t] (w: [h][h]f64) (xs: [t][h]f64) : bool =
  let g = vjp (\w -> loss w xs) w 1
  let eps = 1e-6
  let bump (i: i64) (j: i64) (by: f64) =
    tabulate_2d h h (\a b -> if a == i && b == j then w[a, b] + by else w[a, b])
  let numeric = tabulate_2d h h (\i j -> (loss (bump i j eps) xs - loss (bump i j (-eps)) xs) / (2 * eps))
  in and (map2 (\a b -> f64.abs (a - b) < 1e-6) (flatten g) (flatten numeric))
