-- Branches with the same condition in all rows, whose results are of another length in each row.

-- ==
-- entry: sums
-- input { 0i64 [[1i64, -2, 3], [4, 0, -6]] } output { [4i64, 4] [2i64, 1] }
-- input { 3i64 [[1i64, -2, 3], [4, 0, -6]] } output { [2i64, -2] [0i64, 1] }
-- input { 3i64 empty([0][2]i64) } output { empty([0]i64) empty([0]i64) }
-- input { 0i64 empty([2][0]i64) } output { [0i64, 0] [0i64, 0] }
entry sums (k: i64) (xss: [][]i64) =
  unzip (map (\xs ->
    let ys = if k > 2 then copy xs else filter (> k) xs
    in (i64.sum ys, length (filter (> k) ys))) xss)

-- ==
-- entry: scanned
-- input { 0i64 [[1i64, -2, 3], [4, 0, -6]] } output { [[1i64, 4], [4, 4]] }
-- input { 3i64 [[1i64, -2, 3], [4, 0, -6]] } output { [[1i64, 2], [4, -2]] }
entry scanned (k: i64) (xss: [][]i64) =
  map (\xs ->
    let ys = if k > 2 then scan (+) 0 xs else scan (+) 0 (filter (> k) xs)
    in [head ys, last ys]) xss

-- ==
-- entry: repeated
-- input { 2i32 [[1i64, -2, 3], [4, 0, -6]] } output { [4i64, 4] }
-- input { 0i32 [[1i64, -2, 3], [4, 0, -6]] } output { [2i64, -2] }
entry repeated (n: i32) (xss: [][]i64) =
  map (\xs -> i64.sum (loop ys: []i64 = xs for i < n do filter (> i64.i32 i - 1) ys)) xss
