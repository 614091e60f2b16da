-- Breadth-first search by frontiers over a graph in compressed rows.
-- ==
-- entry: bfs
-- input { [0i64, 2i64, 4i64, 5i64, 5i64, 6i64, 6i64] [1i64, 2i64, 3i64, 0i64, 4i64, 5i64] } output { [0,
--   1, 1, 2, 2, 3] }
-- input { [0i64, 0i64] empty([0]i64) } output { [0] }
def expand 't 's (sz: t -> i64) (get: t -> i64 -> s) (arr: []t) : []s =
  let sizes = map sz arr
  let ends = scan (+) 0 sizes
  let total = if length ends == 0 then 0 else last ends
  let starts = map2 (-) ends sizes
  let marks = reduce_by_index (replicate total 0) i64.max 0 starts (map2 (\s i -> if s == 0 then 0 else i) sizes (indices arr))
  let owner = scan i64.max 0 marks
  in map2 (\o i -> get arr[o] (i - starts[o])) owner (iota total)
entry bfs [n1] [m] (offsets: [n1]i64) (edges: [m]i64) : []i32 =
  let n = n1 - 1
  let cost = map (\i -> if i == 0 then 0 else -1i32) (iota n)
  let (cost, _, _) =
    loop (cost, frontier, level) = (cost, [0i64], 0i32) while length frontier > 0 do
      let next = expand (\v -> offsets[v + 1] - offsets[v]) (\v i -> edges[offsets[v] + i]) frontier
      let fresh = filter (\v -> cost[v] < 0) next
      let seen = scatter (replicate n (-1)) fresh (indices fresh)
      let unique = map (.1) (filter (\(i, v) -> seen[v] == i) (zip (indices fresh) fresh))
      let cost = scatter cost unique (map (const (level + 1)) unique)
      in (cost, unique, level + 1)
  in cost
