open import "kmeans"

def train [n] [d] (x: [n][d]f64) (w: [n]f64) (k: i64) (parallel: bool) (rounds: i64) (max_iter: i64) (tol: f64)
                  (seed: i64) : model [k] [d] =
  let start = if parallel then parallel_start x w k rounds seed else random_start x k seed
  in lloyd start x w max_iter tol
