-- What is told when a program fails.
-- ==
-- entry: asr
-- input { 1i32 } error: Assertion is false: .*x > 1
-- input { 2i32 } output { 2i32 }
entry asr (x: i32) = assert (x > 1) x
-- ==
-- entry: coerce
-- input { 3i64 [1,2] } error: .*\[2\].*\[3\]
entry coerce (n: i64) (x: []i32) = x :> [n]i32
-- ==
-- entry: entrysize
-- input { [1,2] [1,2,3] } error: .
entry entrysize [n] (x: [n]i32) (y: [n]i32) = map2 (+) x y
-- ==
-- entry: hole
-- input { } error: .
entry hole : i32 = ???
-- ==
-- entry: neg
-- input { -2i64 } error: .
entry neg (n: i64) = iota n
-- ==
-- entry: negrep
-- input { -2i64 } error: .
entry negrep (n: i64) = replicate n 1i32
-- ==
-- entry: unfl
-- input { -2i64 -3i64 [1,2,3,4,5,6] } error: .
entry unfl (n: i64) (m: i64) (x: []i32) = unflatten (x :> [n*m]i32)
-- ==
-- entry: upd
-- input { [1,2,3] 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]
entry upd (x: *[]i32) (i: i64) = x with [i] = 0
-- ==
-- entry: updsl
-- input { [1,2,3] 2i64 } error: Index \[2:4\] out of bounds for array of shape \[3\]
entry updsl (x: *[]i32) (i: i64) = x with [i:i+2] = [0,0]
-- ==
-- entry: inmap
-- input { [0i64,5i64] [1,2,3] } error: Index \[5\] out of bounds for array of shape \[3\]
entry inmap (is: []i64) (x: []i32) = map (\i -> x[i]) is
-- ==
-- entry: deep
-- input { 5i64 [1,2,3] } error: Index \[5\]
def f (i: i64) (x: []i32) = x[i]
def g i x = f i x + 1
entry deep (i: i64) (x: []i32) = g i x

-- A loop that a GPU runs as one kernel goes on to its end after a failure, but divides by nothing.
-- ==
-- entry: divided_in_loop
-- input { [1f64, 2f64] } output { [5.5f64, 2f64] }
-- input { empty([0]f64) } error: division by zero
-- input { [1f64] } output { [5.5f64] }
entry divided_in_loop [n] (xs: [n]f64) =
  loop ys : [n]f64 = xs for _k < 3i32 do copy ys with [(4 % i64.max 1 n) %% n] = 5.5

-- ==
-- entry: stride_of_zero
-- input { [1, 2, 3] 1i64 } output { [1, 2, 3] }
-- input { [1, 2, 3] 0i64 } error: Index \[0:3:0\] out of bounds for array of shape \[3\]
entry stride_of_zero (xs: []i32) (s: i64) = xs[0:3:s]
