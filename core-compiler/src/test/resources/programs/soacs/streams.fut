-- Accumulators.
-- ==
-- entry: write_some
-- input { [1i32, 2i32, 3i32] } output { [0i32, 1i32, 2i32, 3i32] }

-- ==
-- entry: count_twice
-- input { [0i64, 1i64, 1i64] } output { [4i32, 2i32] }

entry write_some (xs: []i32) =
  let f (acc: *acc ([]i32)) (x: i32) = write acc (i64.i32 x) x
  in scatter_stream (replicate 4 0i32) f xs

entry count_twice (is: []i64) =
  reduce_by_index_stream (replicate 2 0i32) (+) 0 (\acc i -> write (write acc i 1) 0 1) is
