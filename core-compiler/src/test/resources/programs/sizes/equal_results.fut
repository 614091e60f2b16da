-- Sizes left out in a written result are those of the body: what has one size there has one size outside.
-- ==
-- entry: added
-- input { [2i64, 1i64] } output { [0i64, 2i64, 4i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
-- ==
-- entry: chosen
-- input { 0i64 } output { empty([0]i64) }
-- input { 1i64 } output { [9i64] }
-- input { 3i64 } output { [0i64, 2i64, 4i64] }

def twins (counts: []i64) : ([]i64, []i64) =
  let total = i64.sum counts
  in (iota total, iota total)

def perhaps [n] (counts: [n]i64) : ([]i64, []i64) =
  if n == 0
  then ([], [])
  else let total = i64.sum counts
       in (iota total, iota total)

entry added (counts: []i64) =
  let (a, b) = twins counts
  let (c, d) = perhaps counts
  in if null c then map2 (+) a b else map2 (+) c d

entry chosen (n: i64) =
  let (a, b) =
    match n
    case 0 -> ([], [])
    case 1 -> ([4], [5])
    case _ -> (iota n, iota n)
  in map2 (+) a b
