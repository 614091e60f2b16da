-- The cost of k-means, and a Newton step's gradient and Hessian diagonal.
-- ==
-- entry: cost
-- input { [[0f64, 0f64], [0f64, 1f64], [4f64, 4f64]] [[0f64, 0f64], [4f64, 3f64]] } output { 2f64 }

-- ==
-- entry: step
-- input { [[0f64, 0f64], [0f64, 1f64], [4f64, 4f64]] [[0f64, 0f64], [4f64, 3f64]] }
-- output { [[0f64, -2f64], [0f64, -2f64]] [[4f64, 4f64], [2f64, 2f64]] }

def distance [d] (a: [d]f64) (b: [d]f64) = f64.sum (map2 (\x y -> (x - y) ** 2) a b)

def total [n][k][d] (points: [n][d]f64) (centres: [k][d]f64) : f64 =
  points
  |> map (\p -> map (distance p) centres |> f64.minimum)
  |> f64.sum

entry cost [n][k][d] (points: [n][d]f64) (centres: [k][d]f64) = total points centres

entry step [n][k][d] (points: [n][d]f64) (centres: [k][d]f64) : ([k][d]f64, [k][d]f64) =
  let ones = replicate k (replicate d 1)
  in jvp2 (\c -> vjp (total points) c 1) centres ones
