-- Arrays whose numbers of elements or bytes no 64 bits hold: an error, and no memory is touched.
-- ==
-- entry: scans maps filters histograms scatters concats carried written result
-- input { 1152921504606846977i64 } error: larger than any memory
-- input { 2305843009213693952i64 } error: larger than any memory
-- input { 9223372036854775807i64 } error: larger than any memory
entry scans (n: i64) = reduce (+) 0 (scan (+) 0 (iota n))
entry maps (n: i64) = let xs = map (\i -> i * i) (iota n) in xs[n / 2] + reduce i64.min 0 (scan (+) 0 xs)
entry filters (n: i64) = reduce (+) 0 (scan i64.max 0 (filter (\i -> i % 3 == 1) (iota n)))
entry histograms (n: i64) = (hist (+) 0i64 n (iota n) (iota n))[1]
entry scatters (n: i64) = (scatter (replicate n 0i64) (iota 10) (iota 10))[3]
entry concats (n: i64) = (iota n ++ iota 3)[1]
entry carried (n: i64) = (loop xs = replicate n 1i64 for i < 3 do map (+ i) xs)[1]
entry written (n: i64) = (copy (replicate n 1i64) with [3] = 5)[2]
entry result (n: i64) = replicate n 3i64

-- ==
-- entry: planes transposed flat flat_twice unflat equals cube
-- input { 4294967296i64 } error: larger than any memory|too many for the interpreter
-- input { 2305843009213693952i64 } error: larger than any memory
entry planes (n: i64) = map (\i -> map (+ i) (iota n)) (iota n)
entry transposed (n: i64) = (copy (transpose (tabulate_2d n n (\i j -> i + j))))[1, 1]
entry flat (n: i64) = length (flatten (replicate n (replicate n 1i8)))
entry flat_twice (n: i64) = length (flatten_3d (replicate n (replicate n (replicate n 1i8))))
entry unflat (n: i64) = (unflatten (iota (n * n) :> [n * n]i64))[0, 0]
entry equals (n: i64) = replicate n (replicate n 1i8) == replicate n (replicate n 2i8)
entry cube (n: i64) = (scatter_3d (replicate n (replicate n (replicate n 0i8))) [(1, 1, 1)] [5])[1, 1, 1]

-- ==
-- entry: joined
-- input { 9223372036854775807i64 } error: larger than any memory
-- input { 5i64 } output { 10i64 }
entry joined (n: i64) = length (replicate n 1i8 ++ replicate n 2i8)
