-- Sums wrap around: a comparison of them says what the wrapped numbers are.
-- ==
-- entry: sums
-- input { 9223372036854775807i64 } output { true false -9223372036854775808i64 9223372036854775807i64 }
-- input { -9223372036854775807i64 } output { false true -9223372036854775807i64 -9223372036854775806i64 }
-- input { 5i64 } output { false true 5i64 6i64 }
entry sums (x: i64) : (bool, bool, i64, i64) =
  (x + 1 < x, x <= x + 1, i64.min x (x + 1), i64.max x (x + 1))

-- ==
-- entry: differences
-- input { -9223372036854775807i64 } output { -9223372036854775805i64 9223372036854775807i64 false }
-- input { 5i64 } output { 3i64 7i64 true }
entry differences (x: i64) : (i64, i64, bool) =
  (i64.min (x - 2) (x + 2), i64.max (x - 2) (x + 2), x - 2 < x)

-- ==
-- entry: guarded
-- input { [1i64, 2i64, 3i64] 9223372036854775807i64 } output { [-1i64, -1i64, -1i64] }
-- input { [1i64, 2i64, 3i64] 1i64 } output { [2i64, 3i64, -1i64] }
entry guarded [n] (xs: [n]i64) (k: i64) : [n]i64 =
  map (\i -> if k >= 0 && i + k >= 0 && i + k < n then xs[i + k] else -1) (iota n)

-- ==
-- entry: steps
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 9i64, 10i64] }
-- output { [0i64, 8589934592i64, 17179869184i64, 25769803776i64, 34359738368i64, 42949672960i64, 51539607552i64, 60129542144i64, 68719476736i64, 77309411328i64] }
entry steps [n] (xs: [n]i64) : [n]i64 = map2 (\i x -> i * 8589934592 + 0 * x) (iota n) xs
