-- Indices that branches, minima and remainders keep inside, or only seem to.
-- ==
-- entry: neighbours
-- input { [1i32, 2, 4, 8] } output { [3i32, 7, 14, 12] }
-- input { [5i32] } output { [5i32] }
-- input { empty([0]i32) } output { empty([0]i32) }
entry neighbours [n] (xs: [n]i32): [n]i32 =
  tabulate n (\i -> (if i > 0 then xs[i - 1] else 0) + xs[i] + (if i < n - 1 then xs[i + 1] else 0))

-- ==
-- entry: ends
-- input { [1i32, 2, 4, 8] } output { [0i32, 4, 8, 4] }
-- input { [5i32] } output { [0i32] }
entry ends [n] (xs: [n]i32): [n]i32 =
  tabulate n (\i -> if i == 0 then 0 else if i == n - 1 then xs[i - 1] else xs[i + 1])

-- ==
-- entry: clamped
-- input { [1i32, 2, 4] } output { [4i32, 7, 10] }
-- input { [7i32] } output { [21i32] }
entry clamped [n] (xs: [n]i32): [n]i32 =
  tabulate n (\i -> xs[i64.max 0 (i - 1)] + xs[i] + xs[i64.min (n - 1) (i + 1)])

-- ==
-- entry: wrapped
-- input { [1i32, 2, 4] } output { [7i32, 7, 7] }
-- input { [7i32] } output { [21i32] }
entry wrapped [n] (xs: [n]i32): [n]i32 =
  tabulate n (\i -> xs[(i - 1) % n] + xs[i] + xs[(i + 1) % n])

-- ==
-- entry: corners
-- input { [[1i32, 2, 3], [4, 5, 6], [7, 8, 9]] } output { [[0i32, 0, 0], [0, 10, 0], [0, 0, 0]] }
-- input { empty([0][3]i32) } output { empty([0][3]i32) }
entry corners [n] [m] (xs: [n][m]i32): [n][m]i32 =
  tabulate_2d n m (\i j -> if i > 0 && i < n - 1 && j > 0 && j < m - 1 then xs[i - 1, j - 1] + xs[i + 1, j + 1] else 0)

-- ==
-- entry: either
-- input { [1i32, 2, 4, 8] } output { [0i32, 5, 10, 0] }
entry either [n] (xs: [n]i32): [n]i32 =
  tabulate n (\i -> if i == 0 || i >= n - 1 then 0 else xs[i - 1] + xs[i + 1])

-- ==
-- entry: given
-- input { [1i32, 2, 4] 2i64 } output { 4i32 }
-- input { [1i32, 2, 4] 3i64 } output { 0i32 }
-- input { [1i32, 2, 4] -1i64 } output { 0i32 }
entry given [n] (xs: [n]i32) (i: i64): i32 = if i >= 0 && i < n then xs[i] else 0

-- What follows overflows: the comparisons hold, the index isn't inside.
-- ==
-- entry: overflowing
-- input { [1i32, 2, 4] 1i64 } output { 4i32 }
-- input { [1i32, 2, 4] 2i64 } output { 0i32 }
-- input { [1i32, 2, 4] 9223372036854775807i64 } error: Index \[-9223372036854775808\] out of bounds
entry overflowing [n] (xs: [n]i32) (i: i64): i32 = if i >= 0 && i + 1 < n then xs[i + 1] else 0

-- ==
-- entry: overflowing_sum
-- input { [1i32, 2, 4] [2i64, 3i64] 1i64 } output { [4i32, 0] }
-- input { [1i32, 2, 4] [3i64, 9223372036854775807i64] 3i64 } error: out of bounds
entry overflowing_sum [n] [m] (xs: [n]i32) (is: [m]i64) (k: i64): [m]i32 =
  map (\i -> if i + k < n + k then xs[i] else 0) is
