-- The end of a slice has a type that is known only later: the size of the slice is not that of the array.
-- ==
-- input { [4, -1, 5, -2] } output { 2i64 [4, 5] }
-- input { [-4] } output { 0i64 empty([0]i32) }

def positive [n] (xs: [n]i32) : []i32 =
  let (found, kept) =
    loop (found, kept) = (0, replicate n 0) for x in xs do
      if x < 0 then (found, kept) else (found + 1, kept with [found] = x)
  in kept[:found]

def main (xs: []i32) = (length (positive xs), positive xs)
