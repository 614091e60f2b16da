-- Fields are evaluated in the order in which they are written.
-- ==
-- entry: consumes_last
-- input { [1, 2, 3] } output { 1 [9, 2, 3] }

def set (xs: *[]i32) : *[]i32 = xs with [0] = 9

entry consumes_last (xs: *[]i32) : (i32, []i32) =
  let r = {b = xs[0], a = set xs}
  in (r.b, r.a)
