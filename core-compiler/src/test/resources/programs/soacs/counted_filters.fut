-- Filters of which nothing but the number of kept elements is used, several of one array, with
-- results that are there twice.

entry counts (xs: []i64) =
  let ys = filter (> 0) xs
  let zs = filter (< 0) xs
  in (length ys, length ys, length zs, length zs)

-- ==
-- entry: counts called in_rows
-- input { [1i64, -2, 3, 0, 5] }
-- output { 3i64 3i64 1i64 1i64 }
-- input { empty([0]i64) }
-- output { 0i64 0i64 0i64 0i64 }

def also (xs: []i64) = counts xs

entry called (xs: []i64) = also xs

entry in_rows (xs: []i64) =
  let (a, b, c, d) = unzip4 (map also [xs])
  in (a[0], b[0], c[0], d[0])

-- ==
-- entry: together
-- input { [1i64, -2, 3, 0, 5] }
-- output { 4i64 3i64 1i64 [3i64, 1, 3] }
-- input { empty([0]i64) }
-- output { 0i64 0i64 0i64 [0i64, 0, 0] }
entry together (xs: []i64) =
  let ys = filter (> 0) xs
  let zs = filter (< 0) xs
  in (length ys + length zs, length ys, length zs, [length ys, length zs, length ys])

-- One is kept, others only counted; what is kept needs a sum of all.
-- ==
-- entry: kept
-- input { [1i64, -2, 3, 0, 5] }
-- output { [8i64, 10, 12] 3i64 1i64 2i64 1i64 }
-- input { empty([0]i64) }
-- output { empty([0]i64) 0i64 0i64 0i64 0i64 }
entry kept (xs: []i64) =
  let s = i64.sum xs
  let ys = map (+ s) (filter (> 0) xs)
  let zs = filter (< 0) xs
  let odd = filter (\x -> x % 2 == 1 && x > 1) xs
  in (ys, length ys, length zs, length odd, length zs)

-- The last of a sum over prefixes is taken with the count, whether there is any.
-- ==
-- entry: last_sum
-- input { [1i64, -2, 3, 0, 5] }
-- output { 3i64 7i64 3i64 }
-- input { empty([0]i64) }
-- output { 0i64 0i64 0i64 }
entry last_sum (xs: []i64) =
  let counts = scan (+) 0 (map (\x -> i64.bool (x > 0)) xs)
  let sums = scan (+) 0 xs
  let n = length xs
  in (if n == 0 then (0, 0, 0) else (counts[n - 1], sums[n - 1], counts[n - 1]))
