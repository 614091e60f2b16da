-- Arrays whose size the data decides.
-- ==
-- entry: evens
-- input { [1i32, 2i32, 3i32, 4i32] } output { [2i32, 4i32] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: count
-- input { [1i32, 2i32, 3i32, 4i32] } output { 2i64 3i32 }

-- ==
-- entry: parted
-- input { [1i32, 2i32, 3i32, 4i32, 5i32] } output { [2i32, 4i32] [1i32, 3i32, 5i32] }

-- ==
-- entry: three
-- input { [1i32, 2i32, 3i32, 4i32, 5i32, 6i32] } output { [2i32, 4i32, 6i32] [3i32] [1i32, 5i32] }

-- ==
-- entry: pairs
-- input { [1i32, 2i32, 3i32] [true, false, true] } output { [1i32, 3i32] }

-- ==
-- entry: rows
-- input { [[1i32, 2i32], [0i32, 3i32]] } output { [[1i32, 2i32]] }

-- ==
-- entry: used_on
-- input { [1i32, 2i32, 3i32, 4i32] } output { [2i32, 5i32] }

def even (x: i32) = x % 2 == 0

entry evens (xs: []i32) = filter even xs

entry count (xs: []i32) =
  let ys = filter even xs
  in (length ys, i32.sum (map (/ 2) ys))

entry parted (xs: []i32) = partition even xs

entry three (xs: []i32) = partition2 even (\x -> x % 3 == 0) xs

entry pairs [n] (xs: [n]i32) (bs: [n]bool) = map (.0) (filter (.1) (zip xs bs))

entry rows [n] [m] (xss: [n][m]i32) = filter (\xs -> xs[0] > 0) xss

entry used_on (xs: []i32) =
  let ys = filter even xs
  in map2 (\y i -> y + i32.i64 i) ys (indices ys)
