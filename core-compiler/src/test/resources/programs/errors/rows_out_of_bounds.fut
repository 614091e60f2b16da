-- A row that isn't there, in loops whose checks a device makes behind the host. After the loop the host
-- may still have an index that no array has.
-- ==
-- entry: carried_row
-- input { [[1.0,2.0],[3.0,4.0]] 1i64 } output { [3.0,4.0] [2.0,3.0] }
-- input { [[1.0,2.0],[3.0,4.0]] 5i64 } error: bounds

entry carried_row [n] [m] (xss: [n][m]f64) (k: i64) =
  let (row, s, _) =
    loop (row, s, i) = (xss[0], xss[0], 0i64)
    for _j < k do
      let s = map (+ 1) row
      in (xss[i + 1], s, i + 1)
  in (copy row, s)

-- ==
-- entry: row_of_levels
-- input { [1.0,2.0,3.0] 1i64 } error: bounds
-- input { [1.0,2.0,3.0] 2i64 } output { [2.0,3.0,4.0] }

entry row_of_levels [m] (xs: [m]f64) (n: i64) =
  let rows = tabulate n (\i -> map (+ f64.i64 i) xs)
  in copy rows[1]

-- ==
-- entry: rows_by_index
-- input { [[1.0,2.0],[3.0,4.0]] [0i64,1i64] } output { [4.0,6.0] }
-- input { [[1.0,2.0],[3.0,4.0]] [0i64,2i64] } error: bounds
-- input { [[1.0,2.0],[3.0,4.0]] [0i64,-1i64] } error: bounds

entry rows_by_index [n] [m] (xss: [n][m]f64) (is: []i64) =
  loop acc = replicate m 0 for i in is do map2 (+) acc (copy xss[i])

-- ==
-- entry: rows_written
-- input { [[1.0,2.0],[3.0,4.0]] [0i64,1i64] [7.0,8.0] } output { [[7.0,8.0],[7.0,8.0]] }
-- input { [[1.0,2.0],[3.0,4.0]] [0i64,2i64] [7.0,8.0] } error: bounds
-- input { [[1.0,2.0],[3.0,4.0]] [-1i64,0i64] [7.0,8.0] } error: bounds

entry rows_written [n] [m] (xss: *[n][m]f64) (is: []i64) (row: [m]f64) =
  loop xss for i in is do xss with [i] = copy row

-- ==
-- entry: rows_written_in_turn
-- input { [[1.0,2.0],[3.0,4.0]] 1i64 [7.0,8.0] } output { [[8.0,9.0],[8.0,9.0]] }
-- input { [[1.0,2.0],[3.0,4.0]] 2i64 [7.0,8.0] } error: bounds

entry rows_written_in_turn [n] [m] (xss: *[n][m]f64) (k: i64) (row: [m]f64) =
  loop xss for i < k + 1 do xss with [i] = map (+ 1) row

-- The first fault is the one that is told.
-- ==
-- entry: then_division
-- input { 20i64 20i64 } error: zero
-- input { 20i64 25i64 } error: bounds

entry then_division (n: i64) (k: i64) =
  let xss = tabulate_2d n 3 (\i j -> f64.i64 (i + j))
  let (s, i, row) =
    loop (s, i, row) = (xss[0], 0i64, xss[0])
    for _j < k do (map2 (+) s xss[i], i + 1, xss[i])
  in (1 / (20 - i), map2 (+) s (copy row))

-- Loops that only the fault ends.
-- ==
-- entry: endless
-- input { 20i64 } error: bounds
-- input { 2000i64 } error: bounds

entry endless (n: i64) =
  let xss = tabulate_2d n 3 (\i j -> f64.i64 (i + j))
  let (s, i, row) =
    loop (s, i, row) = (xss[0], 0i64, xss[0])
    while i >= 0 do (map2 (+) s xss[i], i64.min (i + 1) n, xss[i])
  in (s, i, copy row)

-- ==
-- entry: endless_by_index
-- input { 2i64 [0i64, 1, 0] } error: bounds
-- input { 2000i64 [0i64, 1, 0] } error: bounds

entry endless_by_index (n: i64) (is: []i64) =
  loop (acc, i) = (iota n, 0i64)
  while i >= 0 do
    ( map2 (+) acc (replicate n acc[is[i % 3] + i * 500])
    , i64.min (i + 1) 100
    )

-- ==
-- entry: long
-- input { [3.0,4.0] 3i64 } output { 7.0 }
-- input { [3.0,4.0] 100000000000i64 } error: bounds

entry long [n] (xs: [n]f64) (k: i64) =
  f64.maximum (loop acc = xs
               for i < k do
                 map (+ (acc[if i >= 3 then 5 else i % 2] * 0 + 1)) acc)
