-- Segmented scan and expansion.
-- ==
-- entry: segsum
-- input { [true,false,true,false,false] [1,2,3,4,5] } output { [1,3,3,7,12] }
-- ==
-- entry: expand
-- input { [2i64,0i64,3i64] } output { [0i64,0i64,2i64,2i64,2i64] }
-- ==
-- entry: rle
-- input { [1,1,2,2,2,3] } output { [1,2,3] [2i64,3i64,1i64] }
def segscan [n] 't (op: t -> t -> t) (ne: t) (fs: [n]bool) (xs: [n]t) : [n]t =
  scan (\(f1, x1) (f2, x2) -> (f1 || f2, if f2 then x2 else op x1 x2)) (false, ne) (zip fs xs) |> unzip |> (.1)
entry segsum (fs: []bool) (xs: []i32) = segscan (+) 0 fs xs
entry expand [n] (szs: [n]i64) : []i64 =
  let offs = scan (+) 0 szs
  let total = if n == 0 then 0 else offs[n-1]
  let starts = map2 (-) offs szs
  let marks = reduce_by_index (replicate total 0) i64.max 0 (map2 (\s k -> if k == 0 then -1 else s) starts szs) (iota n)
  in scan i64.max 0 marks
entry rle [n] (xs: [n]i32) : ([]i32, []i64) =
  let starts = filter (\i -> i == 0 || xs[i] != xs[i-1]) (iota n)
  let m = length starts
  let ends = map (\i -> if i + 1 < m then starts[i+1] else n) (iota m)
  in (map (\i -> xs[i]) starts, map2 (-) ends (starts :> [m]i64))
