-- Sizes that the program does not write.
-- ==
-- entry: anonymous
-- input { [1i32, 2i32] [3i32, 4i32, 5i32] } output { 2i64 3i64 }

-- ==
-- entry: from_function
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [3i32, 7i32] }

-- ==
-- entry: partial
-- input { [1i32, 2i32, 3i32] } output { [[1i32, 2i32], [2i32, 3i32]] }

-- ==
-- entry: implicit
-- input { 2i64 } output { [[1i32, 1i32], [1i32, 1i32]] }

-- ==
-- entry: value_as_size
-- input { [0i64, 1i64] } output { 2i64 }

entry anonymous (xs: []i32) (ys: []i32) = (length xs, length ys)

entry from_function (xss: [][]i32) =
  let sum xs = reduce (+) 0i32 xs
  in map sum xss

entry partial [n] (xs: [n]i32) =
  let window i = xs[i:i + 2] :> [2]i32
  in map window (iota (n - 1))

def ones [n] : [n]i32 = replicate n 1
entry implicit (n: i64) : [n][n]i32 = replicate n ones

def count (n: i64) (xs: [n]i64) = n + xs[0]
entry value_as_size [n] (xs: [n]i64) = count n xs
