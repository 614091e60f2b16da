-- A local function that another one uses has one type in all its uses, whichever way the uses come.

-- ==
-- entry: rays
-- input { [[[1f32, 2], [3, 4]]] [[[[1f32, 2], [3, 4]]]] } output { [1f32] [[4f32]] 3f32 }

entry rays [n] [m] (rs: [n][2][2]f32) (rss: [n][m][2][2]f32) =
  let to_point p = {x = p[0], y = p[1]}
  let to_ray r = {orig = to_point r[0], dest = to_point r[1]}
  let a = map to_ray rs
  let b = map (map to_ray) rss
  let c = to_point [3, 4]
  in (map (\r -> r.orig.x) a, map (map (\r -> r.dest.y)) b, c.x)

-- ==
-- entry: sizes
-- input { [1, 2, 3] } output { 6i32 2i64 [[1, 1], [2, 2], [3, 3]] }

entry sizes (xs: []i32) =
  let twice a = [a, a]
  let inner ys = map twice ys
  in (i32.sum (map (\p -> p[0]) (inner xs)), length (inner [1]) + 1, inner xs)
