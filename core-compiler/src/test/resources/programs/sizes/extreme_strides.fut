-- Slices whose strides are near the largest and the least i64: no more than one element.
-- ==
-- entry: whole
-- input { 5i64 9223372036854775807i64 } output { [0i64] }
-- input { 5i64 9223372036854775806i64 } output { [0i64] }
-- input { 5i64 4611686018427387904i64 } output { [0i64] }
-- input { 5i64 -9223372036854775807i64 } output { [4i64] }
-- input { 0i64 9223372036854775807i64 } output { empty([0]i64) }
-- input { 0i64 -9223372036854775807i64 } output { empty([0]i64) }
-- input { 5i64 0i64 } error: out of bounds
entry whole (n: i64) (s: i64) = (iota n)[::s]

-- The least number has no opposite.
-- ==
-- entry: least
-- input { 0i64 } output { empty([0]i64) empty([0]i64) }
-- input { 1i64 } output { [0i64] [0i64] }
-- input { 5i64 } output { [4i64] [4i64] }
entry least (n: i64) = ((iota n)[::i64.lowest], (iota n)[::-9223372036854775808])

-- ==
-- entry: used
-- input { 5i64 9223372036854775807i64 } output { 1i64 0i64 [10i64] [0i64, 7i64] }
-- input { 5i64 9223372036854775803i64 } output { 1i64 0i64 [10i64] [0i64, 7i64] }
-- input { 5i64 -9223372036854775807i64 } output { 1i64 4i64 [14i64] [4i64, 7i64] }
-- input { 5i64 2i64 } output { 3i64 6i64 [10i64, 12i64, 14i64] [0i64, 2i64, 4i64, 7i64] }
-- input { 5i64 -3i64 } output { 2i64 5i64 [14i64, 11i64] [4i64, 1i64, 7i64] }
entry used (n: i64) (s: i64) =
  let xs = copy (iota n)
  in (length xs[::s], reduce (+) 0 xs[::s], map (+ 10) xs[::s], xs[::s] ++ [7])

-- ==
-- entry: parts
-- input { 5i64 9223372036854775807i64 } output { [1i64] [3i64] [1i64] }
-- input { 5i64 9223372036854775805i64 } output { [1i64] [3i64] [1i64] }
-- input { 5i64 2i64 } output { [1i64, 3i64] [3i64, 1i64] [1i64] }
entry parts (n: i64) (s: i64) =
  let xs = copy (iota n)
  in (xs[1:n:s], xs[3:0:-s], xs[1:][::s][::s])

-- ==
-- entry: planes
-- input { 3i64 9223372036854775807i64 } output { [[0i64]] [[22i64]] [[9i64, 1i64], [1i64, 1i64]] }
-- input { 3i64 2i64 } output { [[0i64, 2i64], [20i64, 22i64]] [[22i64, 20i64], [2i64, 0i64]] [[9i64, 1i64], [1i64, 1i64]] }
-- input { 3i64 1i64 } error: can't write
entry planes (n: i64) (s: i64) =
  let xs = copy (tabulate_2d n n (\i j -> i * 10 + j))
  in (xs[::s, ::s], xs[::-s, ::-s], replicate 2 (replicate 2 1i64) with [::s, ::s] = [[9]])
