-- Slices of an array that are read and overwritten in turns.
-- ==
-- entry: sums
-- input { [[1,2],[3,4],[5,6]] [10,20] } output { [[11,22],[13,24],[25,46]] }
entry sums [n] (a: *[3][n]i32) (v: [n]i32) =
  let a[0] = map2 (+) a[0] v
  let a[1] = map2 (+) a[1] v
  let a[2] = map2 (+) a[2] v
  let a[2] = map2 (+) a[2] v
  in a

-- What is read is what was written, in part.
-- ==
-- entry: part
-- input { [[1,2,3],[4,5,6]] [[7,8,9],[10,11,12]] } output { [[21,24,27],[10,11,12]] }
entry part [n] (a: *[2][n]i32) (v: [2][n]i32) =
  let a[0:2] = map (map (+ 0)) v
  let x = a[0]
  let y = map2 (+) x (map (* 2) a[0])
  let a[0] = y
  in a

-- A read overlaps an update in part.
-- ==
-- entry: overlap
-- input { [1,2,3,4] } output { [20,30,4,3] }
entry overlap (a: *[4]i32) =
  let a[0:2] = map (* 10) a[1:3]
  let x = map (+ 0) a[0:4]
  let a[2:4] = map (+ 0) x[2:4:1]
  let a[2:4] = reverse (copy a[2:4])
  in a

-- A slice is used after it was overwritten, so it has to be copied.
-- ==
-- entry: after
-- input { [[1,2],[3,4]] } output { [[3,4],[4,6]] }
entry after [n] (a: *[2][n]i32) =
  let old = copy a[0]
  let a[0] = map (+ 0) a[1]
  let a[1] = map2 (+) old a[0]
  in a

-- What is overwritten row by row needn't be written before.
-- ==
-- entry: rows
-- input { [[1,2],[3,4]] } output { [[2,4],[9,16]] }
entry rows [n] (a: *[2][n]i32) =
  let x = copy a
  let a[0:2] = replicate 2 (replicate n 0)
  let a[1] = map2 (*) x[1] x[1]
  let a[0] = map (* 2) x[0]
  in a

-- Literals of rows, in a loop.
-- ==
-- entry: literals
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] } output { [[[3,4],[4,6]],[[7,8],[12,14]]] }
entry literals [l][n] (a: *[l][2][n]i32) =
  loop a for i < l do
    let p = copy a[i, 0]
    let q = copy a[i, 1]
    let new = [map (+ 0) q, map2 (+) p q]
    in a with [i] = new

-- Backwards.
-- ==
-- entry: backwards
-- input { [1,2,3,4] } output { [5,4,4,5] }
entry backwards (a: *[4]i32) =
  let x = a[0:2]
  let y = map2 (+) x (reverse (a[2:4] :> [2]i32))
  let a[3:1:-1] = y
  let z = a[3:1:-1]
  let a[0:2] = map (+ 0) z
  let a[2:4] = map2 (\p q -> p + q - 5) (a[2:4] :> [2]i32) [4, 5]
  let a[1] = a[3] - 1
  in a

-- In a branch, and through a view.
-- ==
-- entry: branches
-- input { [[1,2],[3,4]] true } output { [[1,2],[6,8]] 10 }
-- input { [[1,2],[3,4]] false } output { [[5,6],[3,4]] 10 }
entry branches [n] (a: *[2][n]i32) (c: bool) =
  let x = a[1]
  let s = i32.sum x + i32.sum a[0]
  let a =
    if c
    then a with [1] = map (* 2) x
    else let y = a[0]
         let a[0] = map (+ 4) y
         in a
  in (a, s)
