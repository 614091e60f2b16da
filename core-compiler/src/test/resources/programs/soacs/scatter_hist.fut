-- Writing and combining at computed places.
-- ==
-- entry: write
-- input { [0i32, 0i32, 0i32] [2i64, 0i64, 5i64, -1i64] [7i32, 8i32, 9i32, 10i32] } output { [8i32, 0i32, 7i32] }

-- ==
-- entry: write_rows
-- input { [1i64] [[5i32, 6i32]] } output { [[0i32, 0i32], [5i32, 6i32]] }

-- ==
-- entry: write_2d
-- input { [0i64, 1i64] [1i64, 0i64] [5i32, 6i32] } output { [[0i32, 5i32], [6i32, 0i32]] }

-- ==
-- entry: write_pairs
-- input { [1i64] [5i32] } output { [0i32, 5i32] [false, true] }

-- ==
-- entry: counts
-- input { [0i64, 1i64, 1i64, 3i64, 1i64] } output { [1i32, 3i32, 0i32] }

-- ==
-- entry: into
-- input { [10i32, 20i32] [0i64, 0i64, 1i64] [1i32, 2i32, 3i32] } output { [13i32, 23i32] }

-- ==
-- entry: pairs
-- input { [0i64, 1i64, 0i64] [1i32, 2i32, 3i32] } output { [4i32, 2i32] [3i32, 2i32] }

-- ==
-- entry: counts_2d
-- input { [0i64, 1i64, 1i64] [1i64, 1i64, 1i64] } output { [[0i32, 1i32], [0i32, 2i32]] }

-- ==
-- entry: vectors
-- input { [0i64, 1i64, 0i64] [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] } output { [[6i32, 8i32], [3i32, 4i32]] }

-- ==
-- entry: spreading
-- input { [1i64] [5i32] } output { [9i32, 5i32, 9i32] }

entry write [k] [n] (dest: *[k]i32) (is: [n]i64) (vs: [n]i32) = scatter dest is vs

entry write_rows [n] (is: [n]i64) (vs: [n][2]i32) =
  scatter (replicate 2 (replicate 2 0)) is vs

entry write_2d [n] (is: [n]i64) (js: [n]i64) (vs: [n]i32) =
  scatter_2d (replicate 2 (replicate 2 0)) (zip is js) vs

entry write_pairs [n] (is: [n]i64) (vs: [n]i32) =
  unzip (scatter (replicate 2 (0, false)) is (map (\v -> (v, true)) vs))

entry counts [n] (is: [n]i64) = hist (+) 0i32 3 is (replicate n 1)

entry into [k] [n] (dest: *[k]i32) (is: [n]i64) (vs: [n]i32) =
  reduce_by_index dest (+) 0 is vs

entry pairs [n] (is: [n]i64) (vs: [n]i32) =
  let f (a, b) (c, d) = (a + c, i32.max b d)
  in unzip (reduce_by_index (replicate 2 (0, 0)) f (0, i32.lowest) is (zip vs vs))

entry counts_2d [n] (is: [n]i64) (js: [n]i64) =
  reduce_by_index_2d (replicate 2 (replicate 2 0)) (+) 0i32 (zip is js) (replicate n 1)

entry vectors [n] (is: [n]i64) (vs: [n][2]i32) =
  reduce_by_index (replicate 2 [0, 0]) (map2 (+)) [0, 0] is vs

entry spreading [n] (is: [n]i64) (vs: [n]i32) = spread 3 9 is vs
