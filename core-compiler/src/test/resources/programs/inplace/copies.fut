-- Copies of arrays, some of which nobody looks at again.
-- ==
-- entry: steady
-- input { [1, 2, 3] } output { [6, 7, 8] }
-- input { [9, 0] } output { [11, 2] }
entry steady [n] (xs: [n]i32) : [n]i32 =
  (loop (m, go) = (xs, true) while go do
     let next = map (+ 1) m
     in (next, and (map2 (!=) m next) && next[0] < 6 || next[0] < 11 && next[0] > 7)).0
-- ==
-- entry: twice
-- input { [1, 2, 3] } output { [7, 3, 4] [2, 9, 4] }
entry twice [n] (xs: [n]i32) : (*[n]i32, *[n]i32) =
  let a = map (+ 1) xs
  let b = zip a a
  let (c, d) = unzip b
  let c = copy c with [0] = 7
  let d = copy d with [1] = 9
  in (c, d)
-- ==
-- entry: viewed
-- input { [[1, 2], [3, 4]] } output { [[2, 3], [4, 5]] [[2, 4], [3, 50]] }
entry viewed [n][m] (xss: [n][m]i32) : ([n][m]i32, [m][n]i32) =
  let a = map (map (+ 1)) xss
  let t = transpose a
  let b = copy t
  let b = b with [1, 1] = 50
  in (a, b)
-- ==
-- entry: consumed
-- input { [1, 2, 3] } output { [0, 3, 4] 9 }
entry consumed [n] (xs: [n]i32) : ([n]i32, i32) =
  let a = map (+ 1) xs
  let s = i32.sum (map2 (\x y -> x * y - y * y + y) a a)
  let b = copy a
  let b = b with [0] = 0
  in (b, s)
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] } output { [[0, 3], [0, 5]] [5, 9] }
entry rows [n][m] (xss: [n][m]i32) : ([n][m]i32, [n]i32) =
  unzip (map (\xs ->
    let a = map (+ 1) xs
    let s = i32.sum (map (.0) (zip a a))
    let b = copy a
    in (b with [0] = 0, s)) xss)
