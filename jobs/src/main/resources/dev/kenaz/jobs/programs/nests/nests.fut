-- Programs whose rows have lengths of their own, each written twice: as nests, and as somebody
-- writes them who flattens by hand, with segments of flat arrays.

-- Random numbers between 0 and 1: a hash of the place.
def hash (x: i64) : f64 =
  let x = u64.i64 x * 0x9E3779B97F4A7C15
  let x = (x ^ (x >> 31)) * 0xBF58476D1CE4E5B9
  let x = x ^ (x >> 29)
  in f64.u64 (x >> 11) / 9007199254740992

-- | Where rows begin whose lengths are between 0 and twice the average.
entry rows (m: i64) (average: i64) : [m]i64 =
  let sizes = map (\i -> i64.f64 (hash i * f64.i64 (2 * average + 1))) (iota m)
  in map2 (-) (scan (+) 0 sizes) sizes

-- | So many rows whose lengths fall as a power does; the first one has a tenth of all elements.
entry skewed (m: i64) (all: i64) : [m]i64 =
  let sizes = map (\i -> i64.f64 (0.1 * f64.i64 all / f64.i64 (i + 1))) (iota m)
  in map2 (-) (scan (+) 0 sizes) sizes

entry values (n: i64) : [n]f64 = map hash (iota n)

-- | Numbers below 10^5.
entry columns (n: i64) : [n]i32 = map (\i -> i32.f64 (hash (i + 17) * 100000)) (iota n)


def ends [m] (n: i64) (begins: [m]i64) : [m]i64 =
  tabulate m (\i -> if i + 1 < m then begins[i + 1] else n)

-- By hand: the row of each element, and the sums of segments.

def owners [m] (n: i64) (begins: [m]i64) (sizes: [m]i64) : [n]i64 =
  let at = map2 (\b s -> if s == 0 then -1 else b) begins sizes
  in scan i64.max 0 (scatter (replicate n 0) at (iota m))

def segmented_scan [n] 't (op: t -> t -> t) (ne: t) (heads: [n]bool) (xs: [n]t) : [n]t =
  map (.1) (scan (\(f, x) (g, y) -> (f || g, if g then y else op x y)) (false, ne) (zip heads xs))

def segmented_sum [m][n] (begins: [m]i64) (xs: [n]f64) : [m]f64 =
  let ends = ends n begins
  let at = map2 (\b e -> if b == e then -1 else b) begins ends
  let heads = scatter (replicate n false) at (replicate m true)
  let sums = segmented_scan (+) 0 heads xs
  in map2 (\b e -> if b == e then 0 else sums[e - 1]) begins ends

-- | Sums of rows.
-- ==
-- entry: sums sums_by_hand
-- script input { (rows 100000i64 70i64, values 8000000i64) }
-- script input { (skewed 100000i64 6000000i64, values 8000000i64) }
-- script input { (rows 4i64 2000000i64, values 8000000i64) }
entry sums [m][n] (begins: [m]i64) (xs: [n]f64) : [m]f64 =
  map2 (\b e -> f64.sum xs[b:e]) begins (ends n begins)

entry sums_by_hand [m][n] (begins: [m]i64) (xs: [n]f64) : [m]f64 = segmented_sum begins xs

-- | A sparse matrix times a vector.
-- ==
-- entry: sparse sparse_by_hand
-- script input { (rows 100000i64 70i64, columns 8000000i64, values 8000000i64, values 100000i64) }
-- script input { (skewed 100000i64 6000000i64, columns 8000000i64, values 8000000i64, values 100000i64) }
entry sparse [m][n][k] (begins: [m]i64) (cols: [n]i32) (xs: [n]f64) (v: [k]f64) : [m]f64 =
  map2 (\b e -> f64.sum (map2 (\x c -> x * v[i64.i32 c]) xs[b:e] cols[b:e])) begins (ends n begins)

entry sparse_by_hand [m][n][k] (begins: [m]i64) (cols: [n]i32) (xs: [n]f64) (v: [k]f64) : [m]f64 =
  segmented_sum begins (map2 (\x c -> x * v[i64.i32 c]) xs cols)

-- | Quicksort: all parts that are not sorted yet are divided at the same time.
-- ==
-- entry: quicksort quicksort_by_hand
-- script input { values 1000000i64 }
entry quicksort [n] (xs: [n]f64) : [n]f64 =
  let (xs, _) =
    loop (xs, parts) = (copy xs, filter (\(_, k) -> k > 1) [(0, n)]) while length parts > 0 do
      let divided (s: i64, k: i64) =
        let p = xs[s + k / 2]
        let (lt, eq, gt) = partition2 (< p) (== p) xs[s:s + k]
        in (lt ++ eq ++ gt, (length lt, length eq))
      let (_, _, _, ys, counts) = flatmap' divided parts
      let [q] (places: [q]i64) = flatmap (\(s, k) -> map (+ s) (iota k)) parts
      let next =
        flatmap (\((s, k), (l, e)) -> filter (\(_, c) -> c > 1) [(s, l), (s + l + e, k - l - e)])
                (zip parts counts)
      in (scatter xs places (ys :> [q]f64), next)
  in xs

entry quicksort_by_hand [n] (xs: [n]f64) : [n]f64 =
  let (xs, _, _) =
    loop (xs, starts, sizes) = (copy xs, [0i64], [n]) while length starts > 0 do
      let m = length starts
      let starts = starts :> [m]i64
      let sizes = sizes :> [m]i64
      let begins = map2 (-) (scan (+) 0 sizes) sizes
      let total = i64.sum sizes
      let row = owners total begins sizes
      let from = map2 (\r i -> starts[r] + i - begins[r]) row (iota total)
      let pivots = map2 (\s k -> xs[s + k / 2]) starts sizes
      let side =
        map2 (\r f -> if xs[f] < pivots[r] then 0i32 else if xs[f] == pivots[r] then 1 else 2)
             row from
      let one = map (\c -> (i64.bool (c == 0), i64.bool (c == 1))) side
      let sums = scan (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) one
      let before = map (\b -> if b == 0 then (0, 0) else sums[b - 1]) begins
      let counts =
        map3 (\b k (l, e) ->
                if k == 0 then (0, 0) else (sums[b + k - 1].0 - l, sums[b + k - 1].1 - e))
             begins sizes before
      let places =
        map (\i -> let r = row[i]
                   let (l, e) = (sums[i].0 - before[r].0, sums[i].1 - before[r].1)
                   let c = side[i]
                   in starts[r] + (if c == 0 then l - 1
                                   else if c == 1 then counts[r].0 + e - 1
                                   else counts[r].0 + counts[r].1 + (i - begins[r]) - l - e))
            (iota total)
      let ys = map (\f -> xs[f]) from
      let next =
        filter (\(_, k) -> k > 1)
               (map3 (\s k (l, _) -> (s, l + 0 * k)) starts sizes counts
                ++ map3 (\s k (l, e) -> (s + l + e, k - l - e)) starts sizes counts)
      let (s, k) = unzip next
      in (scatter xs places ys, s, k)
  in xs

-- | Quickhull: how many corners the convex hull of the points has, and their numbers added up.
-- ==
-- entry: quickhull quickhull_by_hand
-- script input { (values 1000000i64, values 1000003i64) }
def left (xs: []f64) (ys: []f64) (a: i64) (b: i64) (p: i64) : f64 =
  (xs[b] - xs[a]) * (ys[p] - ys[a]) - (ys[b] - ys[a]) * (xs[p] - xs[a])

def farther (x: f64, i: i64) (y: f64, j: i64) : (f64, i64) =
  if x > y || x == y && i < j then (x, i) else (y, j)

def least [n] (xs: [n]f64) : i64 =
  (reduce_comm (\(x, i) (y, j) -> if x < y || x == y && i < j then (x, i) else (y, j)) (f64.inf, n)
               (zip xs (iota n))).1

entry quickhull [n][m] (xs: [n]f64) (ys: [m]f64) : (i64, i64) =
  let a = least xs
  let b = least (map f64.neg xs)
  let above = filter (\p -> left xs ys a b p > 0) (iota n)
  let below = filter (\p -> left xs ys b a p > 0) (iota n)
  let first =
    filter (\(_, k, _, _) -> k > 0)
           [(0, length above, a, b), (length above, length below, b, a)]
  let (_, _, corners, sum) =
    loop (points, parts, corners, sum) = (above ++ below, first, 2, a + b)
    while length parts > 0 do
      let divided (s: i64, k: i64, a: i64, b: i64) =
        let here = points[s:s + k]
        let (_, f) = reduce_comm farther (-f64.inf, n) (map (\p -> (left xs ys a b p, p)) here)
        let one = filter (\p -> left xs ys a f p > 0) here
        let two = filter (\p -> left xs ys f b p > 0) here
        in (one ++ two, (f, length one, length two))
      let (_, _, begins, points, found) = flatmap' divided parts
      let next =
        flatmap (\(begin, (_, _, a, b), (f, k, l)) ->
                   filter (\(_, c, _, _) -> c > 0) [(begin, k, a, f), (begin + k, l, f, b)])
                (zip3 begins parts found)
      in (points, next, corners + length parts, sum + i64.sum (map (.0) found))
  in (corners, sum)

entry quickhull_by_hand [n][m] (xs: [n]f64) (ys: [m]f64) : (i64, i64) =
  let a = least xs
  let b = least (map f64.neg xs)
  let start = filter (\(_, r) -> r < 2)
                     (map (\p -> (p, if left xs ys a b p > 0 then 0i64
                                     else if left xs ys b a p > 0 then 1 else 2)) (iota n))
  let (_, _, corners, sum) =
    loop (points, edges, corners, sum) = (start, [(a, b), (b, a)], 2, a + b)
    while length points > 0 do
      let m = length edges
      let edges = edges :> [m](i64, i64)
      let (ps, rows) = unzip points
      let far =
        reduce_by_index (replicate m (-f64.inf, n)) farther (-f64.inf, n) rows
                        (map2 (\p r -> let (a, b) = edges[r] in (left xs ys a b p, p)) ps rows)
      let used = map (\(_, f) -> f < n) far
      let next =
        filter (\(_, r) -> r >= 0)
               (map2 (\p r -> let (a, b) = edges[r]
                              let f = far[r].1
                              in (p, if left xs ys a f p > 0 then 2 * r
                                     else if left xs ys f b p > 0 then 2 * r + 1 else -1)) ps rows)
      let halves =
        flatten (map2 (\(a, b) (_, f) -> if f < n then [(a, f), (f, b)] else [(a, b), (a, b)])
                      edges far)
      let taken =
        reduce_by_index (replicate (m * 2) false) (||) false (map (.1) next)
                        (map (const true) next)
      let number = scan (+) 0 (map i64.bool taken)
      let kept = filter (\(t, _) -> t) (zip taken halves)
      in (map (\(p, r) -> (p, number[r] - 1)) next, map (.1) kept,
          corners + i64.sum (map i64.bool used),
          sum + i64.sum (map2 (\u (_, f) -> if u then f else 0) used far))
  in (corners, sum)
