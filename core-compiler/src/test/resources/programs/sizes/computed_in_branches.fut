-- Computed sizes that differ from one branch to the other, over sizes that callers choose.
-- ==
-- entry: appended
-- input { [1] [2, 3] false } output { [2, 3, 9] }
-- input { [1] [2, 3] true } output { [1, 9] }
-- ==
-- entry: put_in
-- input { [1, 2, 6] 4 } output { [1, 2, 4, 6] }
-- input { [1, 2, 6] 7 } output { [1, 2, 6, 7] }
-- ==
-- entry: split_alike
-- input { [1, 2, 3] true } output { [1, 1, 2, 3] }
-- input { [1, 2, 3] false } output { [3, 1, 2, 3] }

def append (xs: []i32) (ys: []i32) (p: bool) : []i32 =
  if p then xs ++ [9] else ys ++ [9]

entry appended (xs: []i32) (ys: []i32) (p: bool) = append xs ys p

type~ sorted 'v = []v

-- the last branch's size has a local name in it
def insert 'v (before: v -> v -> bool) (x: v) (xs: sorted v) : sorted v =
  let i = length (filter (\y -> before y x) xs)
  in if i == length xs then xs ++ [x] else xs[:i] ++ [x] ++ xs[i:]

entry put_in (xs: []i32) (x: i32) = insert (<) x xs

-- here the branches are of one size, which the addition needs
def cons_an_end (xs: []i32) (p: bool) : []i32 =
  map2 (+) (map (* 0) ([0] ++ xs)) (if p then [head xs] ++ xs else [last xs] ++ xs)

entry split_alike (xs: []i32) (p: bool) = cons_an_end xs p
