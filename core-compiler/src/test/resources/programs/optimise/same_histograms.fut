-- Histograms that are made twice, and such that only look so.

-- The one is overwritten later, the other is not.
-- ==
-- entry: overwritten
-- input { [0i64,1i64,0i64,7i64] [2,3,4,5] } output { [100,3,1] [8,3,1] }
entry overwritten [n] (is: [n]i64) (xs: [n]i32): ([3]i32, [3]i32) =
  let a = reduce_by_index (replicate 3 1) (*) 1 is xs
  let b = reduce_by_index (replicate 3 1) (*) 1 is xs
  in (a with [0] = 100, b)

-- The bins hold different numbers before.
-- ==
-- entry: before
-- input { [0i64,1i64,0i64] [2,3,4] } output { [6,3,0] [7,4,1] [6,5,0] }
entry before [n] (is: [n]i64) (xs: [n]i32): ([3]i32, [3]i32, [3]i32) =
  (reduce_by_index (replicate 3 0) (+) 0 is xs,
   reduce_by_index (replicate 3 1) (+) 0 is xs,
   reduce_by_index [0, 2, 0] (+) 0 is xs)

-- Different bins, numbers of bins, operators and values.
-- ==
-- entry: different
-- input { [0i64,1i64,0i64] [1i64,1i64,0i64] [2,3,4] }
-- output { [6,3] [4,5] [6,3,0] [2,3] [3,2] }
entry different [n] (is: [n]i64) (js: [n]i64) (xs: [n]i32)
                    : ([2]i32, [2]i32, [3]i32, [2]i32, [2]i32) =
  (hist (+) 0 2 is xs, hist (+) 0 2 js xs, hist (+) 0 3 is xs,
   hist i32.min i32.highest 2 is xs |> map (\x -> x),
   hist i32.min i32.highest 2 is (map (\x -> 5 - x + x / 4 * 2) xs))

-- A minimum, and the same with its index.
-- ==
-- entry: indexed
-- input { [0i64,1i64,0i64,0i64] [2,3,1,1] } output { [1,3] [1,3] [2i64,1i64] }
entry indexed [n] (is: [n]i64) (xs: [n]i32): ([2]i32, [2]i32, [2]i64) =
  let least (a: i32, i: i64) (b: i32, j: i64) =
    let t = i32.min a b in (t, if t == b then (if t == a then i64.min i j else j) else i)
  let ms = hist i32.min i32.highest 2 is xs
  let (ns, ks) = unzip (hist least (i32.highest, i64.highest) 2 is (zip xs (iota n)))
  in (ms, ns, ks)

-- Of rows, and their derivatives.
-- ==
-- entry: rows
-- input { [0i64,1i64,0i64] [[2f64,3f64],[4f64,5f64],[6f64,0f64]] }
-- output { [[12f64,0f64],[4f64,5f64]] [[6f64,0f64],[1f64,1f64],[2f64,3f64]] }
entry rows [n] (is: [n]i64) (xss: [n][2]f64): ([2][2]f64, [n][2]f64) =
  vjp2 (\xss -> hist (map2 (*)) [1, 1] 2 is xss) xss (replicate 2 [1, 1])
