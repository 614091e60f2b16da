-- Maps whose width is another at each point of the map around them.
-- ==
-- entry: sums
-- input { [1f64, 2f64, 3f64] } output { [6f64, 5f64, 3f64] }
-- input { empty([0]f64) } output { empty([0]f64) }
entry sums [n] (xs: [n]f64) : [n]f64 =
  reduce_by_index_stream (replicate n 0f64) (+) 0 (\acc (i, x) ->
      loop acc for j < i + 1 do write acc j x) (zip (iota n) xs)
-- ==
-- entry: gradient
-- input { [[1f64, 2f64], [3f64, 4f64]] } output { [[1f64, 0f64], [1f64, 1f64]] }
entry gradient [n] (a: [n][n]f64) : [n][n]f64 =
  vjp (\a -> tabulate n (\i -> f64.sum a[i, :i + 1])) a (replicate n 1)
