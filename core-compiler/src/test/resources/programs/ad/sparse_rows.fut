-- Of the nearest centre, which one row of the centres is, only the elements that a sparse point has
-- are read: the derivative adds to these alone.

def cost [l] [m] [k] [d] (values: [l]f64) (columns: [l]i64) (starts: [m]i64) (centres: [k][d]f64): f64 =
  let norms = map (\c -> f64.sum (map (\x -> x * x) c)) centres
  let distance (row: i64) (norm: f64) (centre: [d]f64) =
    loop sum = norm for j in starts[row]..<starts[row + 1] do
      sum + values[j] * (values[j] - 2 * centre[columns[j]])
  in f64.sum (map (\row -> f64.minimum (map2 (distance row) norms centres)) (iota (m - 1)))

entry gradient [l] [m] [k] [d] (values: [l]f64) (columns: [l]i64) (starts: [m]i64) (centres: [k][d]f64) =
  vjp (cost values columns starts) centres 1

-- ==
-- entry: gradient
-- input { [1.0, 2.0, 2.0, 4.0] [0i64, 2i64, 1i64, 2i64] [0i64, 2i64, 2i64, 4i64]
--         [[0.0, 3.0, 4.0], [1.0, 0.5, 2.0], [9.0, 9.0, 9.0]] }
-- output { [[0.0, 2.0, 0.0], [2.0, 2.0, 4.0], [0.0, 0.0, 0.0]] }
