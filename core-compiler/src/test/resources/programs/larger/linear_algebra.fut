-- Matrix operations as a parametric module; inversion by Gauss and Jordan.
-- ==
-- entry: inverse
-- input { [[2f64, 0f64], [0f64, 4f64]] } output { [[0.5f64, 0f64], [0f64, 0.25f64]] }
-- input { [[1f64, 2f64], [3f64, 4f64]] } output { [[-2f64, 1f64], [1.5f64, -0.5f64]] }

-- ==
-- entry: product
-- input { [[1f64, 2f64], [3f64, 4f64]] [[0f64, 1f64], [1f64, 0f64]] } output { [[2f64, 1f64], [4f64, 3f64]] }

-- ==
-- entry: outer_product
-- input { [1f64, 2f64] [3f64, 4f64, 5f64] } output { [[3f64, 4f64, 5f64], [6f64, 8f64, 10f64]] }

module type field = {
  type t
  val + : t -> t -> t
  val - : t -> t -> t
  val * : t -> t -> t
  val / : t -> t -> t
  val i64 : i64 -> t
}

module linalg (F: field) = {
  type t = F.t
  def dotprod [n] (xs: [n]t) (ys: [n]t) : t = reduce (F.+) (F.i64 0) (map2 (F.*) xs ys)
  def matvec [n] [m] (a: [n][m]t) (x: [m]t) : [n]t = map (dotprod x) a
  def matmul [n] [m] [k] (a: [n][m]t) (b: [m][k]t) : [n][k]t =
    map (matvec (transpose b)) a
  def outer [n] [m] (xs: [n]t) (ys: [m]t) : [n][m]t =
    map (\x -> map (\y -> x F.* y) ys) xs

  def gauss_jordan [n] [m] (a: [n][m]t) : [n][m]t =
    loop a for i < n do
      let irow = a[i]
      let pivot = irow[i]
      let irow = map (F./ pivot) irow
      in tabulate n (\j ->
           if j == i then irow
           else let f = a[j, i]
                in map2 (\x y -> x F.- (f F.* y)) a[j] irow)

  def inv [n] (a: [n][n]t) : [n][n]t =
    let m = n + n
    let augmented =
      map2 (\row i -> map (\j -> if j < n then row[j]
                                 else if j == n + i then F.i64 1 else F.i64 0) (iota m))
           a (iota n)
    let solved = gauss_jordan augmented
    in solved[:, n:] :> [n][n]t
}

module la = linalg f64

entry inverse [n] (a: [n][n]f64) = la.inv a
entry product [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) = la.matmul a b
entry outer_product [n] [m] (a: [n]f64) (b: [m]f64) = la.outer a b
