-- | Principal components, as the estimator PCA of Spark's MLlib has them: of the covariance of the columns,
-- whose mean is taken away. `explained` is the part of the variance that each component has.

import "builtin:pca"

type model [k] [d] = {components: [k][d]f64, explained: [k]f64}

def train [n] [d] (x: [n][d]f64) (k: i64) : model [k] [d] =
  let (m, _) = step (init x k) x
  let variance =
    let rows = f64.i64 n
    let of_column c =
      let mean = f64.sum c / rows
      in f64.sum (map (\x -> (x - mean) ** 2) c) / (rows - 1)
    in f64.sum (map of_column (transpose x))
  in {components = m.components, explained = map (/ variance) m.variances}
