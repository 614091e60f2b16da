-- Graphs.
-- ==
-- entry: bfs
-- input { [0i64,2i64,3i64,4i64,4i64,5i64] [1i64,2i64,3i64,3i64,0i64] 0i64 } output { [0i32,1i32,1i32,2i32,-1i32] }

-- ==
-- entry: floyd
-- input { [[0,3,999],[999,0,1],[1,999,0]] } output { [[0,3,4],[2,0,1],[1,4,0]] }

-- ==
-- entry: components
-- input { 5i64 [0i64,1i64,3i64] [1i64,2i64,4i64] } output { [0i64,0i64,0i64,3i64,3i64] }

-- ==
-- entry: pagerank
-- input { [[0f64,0f64,1f64],[0.5f64,0f64,0f64],[0.5f64,1f64,0f64]] 60i32 } output { [0.387790f64,0.214811f64,0.397399f64] }

-- ==
-- entry: bellman_ford
-- input { 4i64 [0i64,0i64,1i64,2i64] [1i64,2i64,3i64,3i64] [4i64,1i64,1i64,5i64] } output { [0i64,4i64,1i64,5i64] }

entry bfs [n] [m] (offsets: [n]i64) (edges: [m]i64) (start: i64) =
  let nodes = n - 1
  let levels = replicate nodes (-1i32) with [start] = 0
  let (levels, _, _) =
    loop (levels, frontier, depth) = (levels, [start], 1i32) while length frontier > 0 do
      let degrees = map (\v -> offsets[v + 1] - offsets[v]) frontier
      let ends = scan (+) 0 degrees
      let total = if length ends == 0 then 0 else last ends
      let which = map (\e -> i64.sum (map (\x -> i64.bool (x <= e)) ends)) (iota total)
      let next = map2 (\e f -> edges[offsets[frontier[f]] + e - (ends[f] - degrees[f])]) (iota total) which
      let fresh = filter (\v -> levels[v] < 0) next
      let levels = scatter levels fresh (map (const depth) fresh)
      let owner = scatter (replicate nodes (-1i64)) fresh (indices fresh)
      let unique = map (.1) (filter (\(i, v) -> owner[v] == i) (zip (indices fresh) fresh))
      in (levels, unique, depth + 1)
  in levels

entry floyd [n] (d: [n][n]i32) : [n][n]i32 =
  loop d = copy d for k < n do
    map (\i -> map (\j -> i32.min d[i, j] (d[i, k] + d[k, j])) (iota n)) (iota n)

entry components [m] (n: i64) (a: [m]i64) (b: [m]i64) : [n]i64 =
  let (labels, _) =
    loop (labels, changed) = (iota n, true) while changed do
      let low = map2 (\x y -> i64.min labels[x] labels[y]) a b
      let next = reduce_by_index (copy labels) i64.min i64.highest (a ++ b) (low ++ low)
      in (next, or (map2 (!=) labels next))
  in labels

entry pagerank [n] (m: [n][n]f64) (steps: i32) : [n]f64 =
  let d = 0.85
  in loop r = replicate n (1 / f64.i64 n) for _i < steps do
       map (\row -> (1 - d) / f64.i64 n + d * f64.sum (map2 (*) row r)) m

entry bellman_ford [m] (n: i64) (from: [m]i64) (to: [m]i64) (w: [m]i64) : [n]i64 =
  let far = 1000000i64
  let dist = replicate n far with [0] = 0
  in loop dist for _i < n do
       reduce_by_index (copy dist) i64.min i64.highest to (map2 (\f w -> dist[f] + w) from w)
