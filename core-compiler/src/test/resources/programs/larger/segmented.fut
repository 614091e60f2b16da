-- Segmented operations, as libraries write them.
-- ==
-- entry: sums
-- input { [true, false, true, false, false] [1i32, 2i32, 3i32, 4i32, 5i32] } output { [1i32, 3i32, 3i32, 7i32, 12i32] }

-- ==
-- entry: totals
-- input { [true, false, true, false, false] [1i32, 2i32, 3i32, 4i32, 5i32] } output { [3i32, 12i32] }

-- ==
-- entry: expanded
-- input { [2i64, 0i64, 3i64] } output { [0i64, 0i64, 2i64, 2i64, 2i64] [0i64, 1i64, 0i64, 1i64, 2i64] }

def segmented_scan [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (as: [n]t) : *[n]t =
  (unzip (scan (\(x_flag, x) (y_flag, y) ->
                  (x_flag || y_flag, if y_flag then y else x `op` y))
               (false, ne)
               (zip flags as))).1

def segmented_reduce [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (as: [n]t) =
  let as' = segmented_scan op ne flags as
  let ends = rotate 1 flags
  let offsets = ends |> map i64.bool |> scan (+) 0
  let count = if n > 0 then offsets[n - 1] else 0
  let scratch = replicate count ne
  let index i f = if f then i - 1 else -1
  in scatter scratch (map2 index offsets ends) as'

def expand 'a 'b (size: a -> i64) (get: a -> i64 -> b) (arr: []a) : []b =
  let sizes = map size arr
  let ends = scan (+) 0 sizes
  let starts = map2 (-) ends sizes
  let n = if length ends == 0 then 0 else last ends
  let owners = reduce_by_index (replicate n 0) i64.max 0
                               (map2 (\s k -> if k > 0 then s else -1) starts sizes)
                               (indices arr)
  let owner = scan i64.max 0 owners
  in map2 (\i o -> get arr[o] (i - starts[o])) (iota n) owner

entry sums [n] (flags: [n]bool) (xs: [n]i32) = segmented_scan (+) 0 flags xs

entry totals [n] (flags: [n]bool) (xs: [n]i32) = segmented_reduce (+) 0 flags xs

entry expanded (sizes: []i64) =
  unzip (expand (.1) (\(i, _) j -> (i, j)) (zip (indices sizes) sizes))
