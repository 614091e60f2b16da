-- In an expression marked unsafe, assertions and the bounds of what is read aren't checked.

def get [n] (xs: [n]i32) (i: i64) = assert (i != 1) xs[i]

-- ==
-- entry: asserted
-- input { [5, 6, 7] 1i64 } output { 6 }
-- input { [5, 6, 7] 2i64 } output { 7 }
entry asserted [n] (xs: [n]i32) (i: i64) = #[unsafe] get xs i

-- ==
-- entry: only_inside
-- input { [5, 6, 7] 1i64 0i64 } output { 11 }
-- input { [5, 6, 7] 0i64 1i64 } error: Assertion is false: i != 1
-- input { [5, 6, 7] 0i64 3i64 } error: out of bounds
entry only_inside [n] (xs: [n]i32) (i: i64) (j: i64) = (#[unsafe] get xs i) + get xs j

-- ==
-- entry: in_parallel
-- input { [2i64, 1i64, 0i64] [5, 6, 7] } output { [7, 6, 5] }
entry in_parallel [m] [n] (is: [m]i64) (xs: [n]i32) = #[unsafe] map (\i -> get xs i) is

-- A read beside a condition isn't moved before it.
-- ==
-- entry: guarded
-- input { [0i64, 9000000000000i64, 2i64, -1i64] [5, 6, 7] } output { [5, 0, 7, 0] }
-- input { [0i64, 9000000000000i64] empty([0]i32) } output { [0, 0] }
entry guarded [m] [n] (is: [m]i64) (xs: [n]i32) =
  map (\i -> if i >= 0 && i < n then #[unsafe] xs[i] else 0) is

-- ==
-- entry: guarded_in_loops
-- input { [1i64, 9000000000000i64] [5, 6, 7] } output { [13i64, 0i64] }
-- input { [0i64] empty([0]i32) } output { [0i64] }
entry guarded_in_loops [m] [n] (is: [m]i64) (xs: [n]i32) =
  let sums =
    map (\i -> i64.sum (map (\k -> if k * i < n then i64.i32 (#[unsafe] xs[k * i]) else 0) (1..<4))) is
  let ends = map (\i -> loop k = i while k >= 0 && k < n && #[unsafe] xs[k] > 5 do k - 1) is
  in map2 (\s e -> if e < n then s - e else s) sums ends

-- ==
-- entry: loops
-- input { [1i64, 2i64, 0i64] 5 } output { 2i64 }
-- input { empty([0]i64) 0 } output { 0i64 }
entry loops [n] (next: [n]i64) (steps: i32) = #[unsafe] loop i = 0 for _k < steps do next[i]

-- Rows, and arrays of records.
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] 1i64 } output { [3, 9] }
entry rows [n][m] (xss: *[n][m]i32) (i: i64) =
  #[unsafe] let row = copy xss[i] let row[1] = 9 in row

-- What is written, and sizes, are checked all the same: nothing else's memory is overwritten.
-- ==
-- entry: written
-- input { [5, 6, 7] 1i64 } output { [5, 0, 7] }
-- input { [5, 6, 7] 3i64 } error: out of bounds
-- input { [5, 6, 7] -1i64 } error: out of bounds
entry written [n] (xs: *[n]i32) (i: i64) = #[unsafe] (xs with [i] = 0)

-- ==
-- entry: sized
-- input { 3i64 } output { [0i64, 1i64, 2i64] }
-- input { 4i64 } error: cannot match
-- input { -1i64 } error: negative size
entry sized (n: i64) = #[unsafe] (iota n :> [3]i64)

-- A reverse derivative writes where the function reads.
-- ==
-- entry: gradient
-- input { [1f32, 2f32, 3f32] 1i64 } output { [0f32, 4f32, 0f32] }
-- input { [1f32, 2f32, 3f32] 3i64 } error: out of bounds
entry gradient [n] (xs: [n]f32) (i: i64) =
  vjp (\xs -> #[unsafe] let x = assert (i != 1) xs[i] in x * x) xs 1

-- ==
-- entry: tangent
-- input { [1f32, 2f32, 3f32] 1i64 } output { 4f32 }
entry tangent [n] (xs: [n]f32) (i: i64) =
  jvp (\xs -> #[unsafe] let x = assert (i != 1) xs[i] in x * x) xs (replicate n 1)
