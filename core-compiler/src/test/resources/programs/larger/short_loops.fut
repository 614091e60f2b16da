-- Loops of constant short length, written out: rows of three, small matrices, polynomials.
-- ==
-- entry: lengths
-- input { [[3f32, 4f32, 0f32], [1f32, 2f32, 2f32]] } output { [5f32, 3f32] [[0.6f32, 0.8f32, 0f32], [0.3333f32, 0.6667f32, 0.6667f32]] }
-- input { empty([0][3]f32) } output { empty([0]f32) empty([0][3]f32) }
entry lengths [n] (ps: [n][3]f32): ([n]f32, [n][3]f32) =
  let l p = f32.sqrt (f32.sum (map (\x -> x * x) p))
  in (map l ps, map (\p -> let m = l p in map (/ m) p) ps)

-- ==
-- entry: turned
-- input { [[1, 0, 0], [0, 1, 0], [1, 2, 3]] } output { [[1, 4, 7], [2, 5, 8], [14, 32, 53]] }
entry turned [n] (ps: [n][3]i32): [n][3]i32 =
  let a = [[1, 2, 3], [4, 5, 6], [7, 8, 10]]
  in map (\p -> map (\r -> i32.sum (map2 (*) r p)) a) ps

-- ==
-- entry: nearest
-- input { [[0f64, 0f64], [5f64, 5f64], [9f64, 1f64]] [[1f64, 1f64], [6f64, 4f64], [8f64, 8f64], [5f64, 5f64]] } output { [0i64, 3i64, 1i64] }
entry nearest [n] [k] (ps: [n][2]f64) (cs: [k][2]f64): [n]i64 =
  let less (i, x) (j, y) = if y < x then (j, y) else (i: i64, x: f64)
  let far p c = f64.sum (map2 (\x y -> (x - y) * (x - y)) p c)
  in map (\p -> (reduce less (0, f64.inf) (zip (iota k) (map (far p) cs))).0) ps

-- Carried values, early indices, failing checks, and loops inside.
-- ==
-- entry: powers
-- input { [1i64, 2i64, 3i64] } output { [3i64, 96i64, 729i64] }
entry powers [n] (xs: [n]i64): [n]i64 =
  map (\x -> loop s = 0 for i < 3 do s + (loop p = x for _j < 4 do p * (if i == 0 then x else 1)) * (if i == 0 then 3 else i)) xs
  |> map2 (\x s -> s - (loop t = 0 for i < 2 do t + (i + 1) * x)) xs
  |> map (\x -> x * 1)

-- ==
-- entry: fails
-- input { [0i64, 1i64] [1, 2, 3] } output { [6, 5] }
-- input { [0i64, 2i64] [1, 2, 3] } error: Index \[3\] out of bounds
entry fails [n] [m] (starts: [n]i64) (xs: [m]i32): [n]i32 =
  map (\s -> loop t = 0 for i < 3 do if s == 1 && i == 2 then t else t + xs[s + i]) starts
