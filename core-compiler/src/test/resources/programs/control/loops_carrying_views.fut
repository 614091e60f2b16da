-- A loop that carries an array and, beside it, a part of what that array was in an earlier iteration.
-- ==
-- entry: after before
-- input { [[1, 2], [3, 4], [5, 6]] 5i64 } output { [2, 3] }
-- input { [[1, 2], [3, 4], [5, 6]] 2i64 } output { [2, 3] }
-- input { [[1, 2], [3, 4], [5, 6]] 1i64 } output { [0, 0] }
entry after [n] (xs: [n][2]i32) (k: i64) =
  (loop (level, left) = (map (map (+ 0)) xs, replicate 2 0) for i < k do
    let next = map (map (+ 1)) level
    in (next, if i == 1 then level[0] else left)).1

entry before [n] (xs: [n][2]i32) (k: i64) =
  (loop (left, level) = (replicate 2 0, map (map (+ 0)) xs) for i < k do
    let next = map (map (+ 1)) level
    in (if i == 1 then level[0] else left, next)).0

-- ==
-- entry: two
-- input { [[1, 2], [3, 4], [5, 6]] 6i64 } output { [2, 3] [6, 7] [[7, 8], [9, 10], [11, 12]] }
entry two [n] (xs: [n][2]i32) (k: i64) =
  let (level, a, b) =
    loop (level, a, b) = (copy xs, replicate 2 0, replicate 2 0) for i < k do
      let next = map (map (+ 1)) level
      in (next, if i == 1 then level[0] else a, if i == 3 then level[1] else b)
  in (a, b, level)

-- ==
-- entry: chain
-- input { [[1, 2], [3, 4], [5, 6]] 6i64 } output { [5, 6] [4, 5] [3, 4] }
entry chain [n] (xs: [n][2]i32) (k: i64) =
  let (_, a, b, c) =
    loop (level, a, b, c) = (copy xs, replicate 2 0, replicate 2 0, replicate 2 0) for i < k do
      let next = map (map (+ 1)) level
      in if i < 5 then (next, level[0], a, b) else (next, a, b, c)
  in (a, b, c)

-- ==
-- entry: halving
-- input { [[1, 2], [3, 4], [5, 6], [7, 8], [1, 2], [3, 4], [5, 6], [7, 8]] } output { [2, 4] [32, 40] }
entry halving (xs: [8][2]i32) =
  let (_, level, left) =
    loop (m, level, left) = (8i64, xs, replicate 2 0) while m > 1 do
      let h = m / 2
      let next = map2 (map2 (+)) (level[0:h] :> [h][2]i32) (level[h:2 * h] :> [h][2]i32)
      in (h, next, if m == 4 then level[0] else left)
  in (left, level[0])

-- ==
-- entry: nested
-- input { [[1, 2], [3, 4], [5, 6]] 4i64 } output { [[3, 4], [17, 18]] }
entry nested [n] (xs: [n][2]i32) (k: i64) =
  let (_, left, last) =
    loop (outer, left, last) = (copy xs, replicate 2 0, replicate 2 0) for i < k do
      let (inner, part) =
        loop (level, part) = (outer, left) for j < 4 do
          let next = map (map (+ 1)) level
          in (next, if i == 0 && j == 2 then level[0] else part)
      in (inner, part, inner[0])
  in [left, last]
