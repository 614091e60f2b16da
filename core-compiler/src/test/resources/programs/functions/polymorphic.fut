-- Type and size parameters.
-- ==
-- entry: pairs
-- input { [1i32, 2i32] [1f32, 2f32] } output { [1f32, 2f32] [1i32, 2i32] }

-- ==
-- entry: sizes
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { 2i64 3i64 }

-- ==
-- entry: twice_used
-- input { 1i32 2f64 } output { 1i32 2f64 }

-- ==
-- entry: inner
-- input { 1i32 } output { 1i32 true }

def swapped 'a 'b (p: (a, b)) : (b, a) = (p.1, p.0)

entry pairs [n] (xs: [n]i32) (ys: [n]f32) = unzip (map swapped (zip xs ys))

def shape [n] [m] 'a (_: [n][m]a) : (i64, i64) = (n, m)

entry sizes [n] [m] (xs: [n][m]i32) = shape xs

entry twice_used (x: i32) (y: f64) = (id x, id y)

entry inner (x: i32) =
  let same 'a (y: a) = y
  in (same x, same true)
