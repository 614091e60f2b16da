-- k-means clustering of sparse points: row i has the values and columns from starts[i] up to
-- starts[i + 1] (compressed sparse rows). |p - c|^2 = |c|^2 + sum over p's values v of v (v - 2 c).

def cost [nnz] [m] [k] [d]
         (values: [nnz]f32)
         (columns: [nnz]i64)
         (starts: [m]i64)
         (centres: [k][d]f32): f32 =
  let norms = map (\c -> f32.sum (map (\x -> x * x) c)) centres
  let distance (row: i64) (norm: f32) (centre: [d]f32) =
    loop sum = norm for j in starts[row]..<starts[row + 1] do
      sum + values[j] * (values[j] - 2 * centre[columns[j]])
  let nearest (row: i64) = f32.minimum (map2 (distance row) norms centres)
  in f32.sum (map nearest (iota (m - 1)))

entry kmeans_sparse [nnz] [m] [k] [d]
                    (values: [nnz]f32)
                    (columns: [nnz]i64)
                    (starts: [m]i64)
                    (centres: [k][d]f32) =
  cost values columns starts centres

entry kmeans_sparse_ad [nnz] [m] [k] [d]
                       (values: [nnz]f32)
                       (columns: [nnz]i64)
                       (starts: [m]i64)
                       (centres: [k][d]f32) =
  vjp2 (cost values columns starts) centres 1

-- | Where a centre has no points it stays.
entry kmeans_sparse_newton [nnz] [m] [k] [d]
                           (values: [nnz]f32)
                           (columns: [nnz]i64)
                           (starts: [m]i64)
                           (centres: [k][d]f32) =
  let ones = replicate k (replicate d 1)
  let gradient c = vjp (cost values columns starts) c 1
  let (slope, curvature) = jvp2 gradient centres ones
  in map3 (map3 (\c g h -> if h == 0 then c else c - g / h)) centres slope curvature
