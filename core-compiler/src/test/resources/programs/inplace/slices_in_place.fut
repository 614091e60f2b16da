-- What may be built where an update puts it, and what may not.
-- ==
-- entry: neighbours
-- input { [1,2,3,4] } output { [20,30,40,4] }
entry neighbours (a: *[4]i32) =
  let a[0:3] = map (* 10) a[1:4]
  in a
-- ==
-- entry: backwards
-- input { [1,2,3,4] } output { [40,30,20,10] }
entry backwards (a: *[4]i32) =
  let x = map (* 10) (reverse a)
  let a[0:4] = x
  in a
-- ==
-- entry: turned
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] } output { [[[2,4],[3,5]],[[5,6],[7,8]]] }
entry turned [n] (a: *[2][n][n]i32) =
  let x = map (map (+ 1)) (transpose a[0])
  let a[0] = x
  in a
-- ==
-- entry: rows
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] } output { [[[2,1],[4,3]],[[5,6],[7,8]]] }
entry rows [n] (a: *[2][n][n]i32) =
  let x = map (\r -> map (\i -> r[n - 1 - i]) (iota n)) a[0]
  let a[0] = x
  in a
-- ==
-- entry: nested
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] [[1,1],[2,2]] } output { [[[2,3],[5,6]],[[6,7],[9,10]]] }
entry nested [n] (a: *[2][n][n]i32) (v: [n][n]i32) =
  let a[0] = map2 (map2 (+)) a[0] v
  let a[1] = map2 (map2 (+)) a[1] v
  in a
-- ==
-- entry: twice
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] } output { [[[4,4],[4,4]],[[4,6],[8,10]]] }
entry twice [n] (a: *[2][n][n]i32) =
  let x = map (\r -> let s = i32.sum r in let t = map (+ s) r in map2 (\p q -> p + q - p - q + 4) t r) a[0]
  let y = map2 (map2 (\p q -> p + q - 2)) a[0] a[1]
  let a[0] = x
  let a[1] = y
  in a
-- ==
-- entry: used_again
-- input { [1,2,3,4] } output { [11,12,3,4] 23 }
entry used_again (a: *[4]i32) =
  let x = map (+ 10) a[0:2]
  let a[0:2] = x
  in (a, i32.sum x)
-- ==
-- entry: columns
-- input { [[1,2],[3,4]] } output { [[10,2],[30,4]] }
entry columns [n] (a: *[n][n]i32) =
  let a[0:n, 0] = map (* 10) a[0:n, 0]
  in a
-- ==
-- entry: in_loops
-- input { [[1,2],[3,4],[5,6]] [1,1] 4i64 } output { [[5,6],[7,8],[9,10]] }
entry in_loops [m][n] (a: *[m][n]i32) (v: [n]i32) (k: i64) =
  loop a for _t < k do
    loop a for i < m do
      a with [i] = map2 (+) a[i] v
-- ==
-- entry: swapped
-- input { [[1,2],[3,4]] 3i64 } output { [[7,10],[11,16]] }
entry swapped [n] (a: *[2][n]i32) (k: i64) =
  loop a for _t < k do
    let x = copy a[0]
    let a[0] = map (+ 0) a[1]
    let a[1] = map2 (+) x (map (* 1) a[0])
    in if a[0, 0] > 100 then a else a
-- ==
-- entry: in_maps
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] } output { [[[4,6],[3,4]],[[12,14],[7,8]]] }
entry in_maps [m][n] (as: *[m][2][n]i32) =
  map (\a -> let a = copy a in let a[0] = map2 (+) a[0] a[1] in a) as
