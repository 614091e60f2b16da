-- Maps whose results are rows of arrays, at computed indices, or one of several.

-- ==
-- entry: gathered
-- input { [[1,2,3],[4,5,6]] [1i64,0i64,1i64] } output { [[4,5,6],[1,2,3],[4,5,6]] }
-- input { [[1,2,3],[4,5,6]] empty([0]i64) } output { empty([0][3]i32) }
-- input { [[1],[4]] [1i64] } output { [[4]] }
-- input { [[1,2,3],[4,5,6]] [1i64,2i64] } error: Index \[2\] out of bounds for array of shape \[2\]
-- input { [[1,2,3],[4,5,6]] [-1i64] } error: Index \[-1\] out of bounds for array of shape \[2\]
entry gathered [n] [m] [d] (a: [n][d]i32) (is: [m]i64): [m][d]i32 = map (\i -> a[i]) is

-- ==
-- entry: chosen
-- input { [[1,2],[4,5]] [1i64,-1i64,0i64] } output { [[4,5],[7,7],[1,2]] }
-- input { [[1,2],[4,5]] [1i64,2i64] } error: Index \[2\] out of bounds for array of shape \[2\]
entry chosen [n] [m] [d] (a: [n][d]i32) (is: [m]i64): [m][d]i32 =
  map (\i -> if i < 0 then replicate d 7 else a[i]) is

-- ==
-- entry: either
-- input { [[1,2],[4,5]] [[9,8],[7,6]] [1i64,0i64] } output { [[4,5],[9,8]] }
entry either [n] [d] (a: [n][d]i32) (b: [n][d]i32) (is: [n]i64): [n][d]i32 =
  map (\i -> if i % 2 == 1 then a[i] else b[i]) is

-- Matrices at computed indices.
-- ==
-- entry: matrices
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] [1i64,1i64,0i64] }
-- output { [[[5,6],[7,8]],[[5,6],[7,8]],[[1,2],[3,4]]] }
entry matrices [n] [m] (a: [n][2][2]i32) (is: [m]i64): [m][2][2]i32 = map (\i -> a[i]) is

-- In a nest, where the row is beside something that is computed, and overwritten afterwards.
-- ==
-- entry: beside
-- input { [[1,2,3],[4,5,6]] [[1i64,0i64],[0i64,0i64]] }
-- output { [[[4,5,6],[1,2,3]],[[1,2,3],[1,2,3]]] [[15,6],[6,6]] [[[0,5,6],[0,2,3]],[[0,2,3],[0,2,3]]] }
entry beside [n] [d] (a: [n][d]i32) (iss: [n][n]i64): ([n][n][d]i32, [n][n]i32, [n][n][d]i32) =
  map (\is ->
         map (\i -> (a[i], i32.sum a[i], copy a[i] with [0] = 0)) is |> unzip3) iss
  |> unzip3

-- What is copied is what was there before.
-- ==
-- entry: before
-- input { [[1,2],[4,5]] [1i64,0i64] } output { [[4,5],[1,2]] [[0,2],[0,5]] }
entry before [n] [d] (a: [n][d]i32) (is: [n]i64): ([n][d]i32, [n][d]i32) =
  let rows = map (\i -> a[i]) is
  let b = map (\r -> copy r with [0] = 0) a
  in (rows, b)

-- Derivatives: a row at an index, and one of two rows.
-- ==
-- entry: gradient
-- input { [[1f64,2f64],[4f64,5f64]] [1i64,1i64,-1i64] } output { [[0f64,0f64],[16f64,20f64]] }
entry gradient [n] [m] [d] (a: [n][d]f64) (is: [m]i64): [n][d]f64 =
  let f (a: [n][d]f64) =
    f64.sum (flatten (map (map (\x -> x * x)) (map (\i -> if i < 0 then replicate d 7 else a[i]) is)))
  in vjp f a 1

-- The row is read twice, so an accumulator is updated by two kernels.
-- ==
-- entry: twice
-- input { [[1f64,2f64],[3f64,4f64]] [0i64,1i64] } output { [[5f64,8f64],[1f64,2f64]] }
entry twice [n] [m] [k] (a: [n][m]f64) (is: [k]i64): [n][m]f64 =
  let f (a: [n][m]f64) =
    f64.sum (map (\i -> let r = if i < 1 then a[i] else a[0] in f64.sum (map2 (*) r a[i])) is)
  in vjp f a 1

-- Both sides of a branch add to rows, after what is added without it.
-- ==
-- entry: branches
-- input { [[1f64,2f64],[3f64,4f64]] [0i64,1i64] } output { [[6f64,17f64],[1f64,1f64]] }
entry branches [n] [m] [k] (a: [n][m]f64) (is: [k]i64): [n][m]f64 =
  let squares = map (\x -> x * x)
  let cubes = map (\x -> x * x * x)
  let f (a: [n][m]f64) =
    let of i = f64.sum a[i] + (if i < 1 then f64.sum (squares a[i]) else f64.sum (cubes a[0]))
    in f64.sum (map of is)
  in vjp f a 1
