-- What is the same for all rows of a map with a constant number of rows is computed once, in front of
-- it: by the results of an operator or a loop, and in each row of an inner operator.

-- Rows of a Jacobian: sums inside a map, of which the tangents need the values.
-- ==
-- entry: squares
-- input { [[1.0, 2.0], [3.0, 4.0], [0.0, -1.0]] [2.0, 1.0] }
-- output { [[8.0, 60.0, 0.0], [16.0, 80.0, 2.0]] }
entry squares [n] (xs: [n][2]f64) (v: [2]f64) : [2][n]f64 =
  let f (v: [2]f64) = map (\r -> let s = f64.sum (map2 (*) r v) in s * s) xs
  in jmp f v [[1, 0], [0, 1]]

-- A loop that overwrites rows, of which the tangents read the values.
-- ==
-- entry: chain
-- input { [2.0, 3.0, 4.0] [0i64, 0, 1] }
-- output { [[1.0, 3.0, 12.0], [0.0, 2.0, 8.0], [0.0, 0.0, 6.0]] }
entry chain (x: [3]f64) (parents: [3]i64) : [3][3]f64 =
  let f (x: [3]f64) =
    loop a = copy x for i < 3 do
      if i == 0 then a else a with [i] = a[parents[i]] * x[i]
  in jmp f x [[1, 0, 0], [0, 1, 0], [0, 0, 1]]

-- An index that is outside ends the program, as each row would.
-- ==
-- entry: outside
-- input { [1.0, 2.0] [0i64, 1] } output { [[3.0, 3.0], [4.0, 4.0]] }
-- input { [1.0, 2.0] [0i64, 2] } error: out of bounds
entry outside [n] [m] (xs: [n]f64) (is: [m]i64) : [2][m]f64 =
  map (\k -> let s = f64.sum (map (\i -> xs[i]) is) in replicate m (s + f64.i64 k)) (iota 2)

-- What each row overwrites is its own.
-- ==
-- entry: overwritten
-- input { [1.0, 2.0] } output { [[0.0, 3.0], [1.0, 3.0], [2.0, 3.0]] }
entry overwritten (xs: [2]f64) : [3][2]f64 =
  map (\k -> (scan (+) 0 xs) with [0] = f64.i64 k) (iota 3)

-- An assertion comes first.
-- ==
-- entry: asserted
-- input { [1.0, 2.0] 0i64 } output { [3.0, 4.0] }
-- input { [1.0, 2.0] 5i64 } error: Assertion is false
entry asserted [n] (xs: [n]f64) (least: i64) : [2]f64 =
  map (\k -> assert (k >= least) (f64.i64 k + f64.sum xs)) (iota 2)

-- How many elements a filter keeps is known only inside.
-- ==
-- entry: filtered
-- input { [1.0, -2.0, 3.0] } output { [4.0, 5.5] }
entry filtered [n] (xs: [n]f64) : [2]f64 =
  map (\k -> let ys = filter (> 0) xs
             in f64.sum (map2 (\y s -> y + f64.i64 k * s / 2) ys (scan (+) 0 (map (\_ -> 1) ys)) ))
      (iota 2)

-- A branch inside leaves a value that is the same for all rows.
-- ==
-- entry: chosen
-- input { true [1.0, 2.0] } output { [3.0, 4.0, 5.0] [3.0, 3.0, 3.0] }
-- input { false [1.0, 2.0] } output { [0.0, 1.0, 2.0] [2.0, 2.0, 2.0] }
entry chosen [n] (c: bool) (xs: [n]f64) : ([3]f64, [3]f64) =
  unzip (map (\i -> if c
                    then (f64.i64 i + f64.sum xs, f64.sum xs)
                    else (f64.i64 i, f64.product xs))
             (iota 3))
