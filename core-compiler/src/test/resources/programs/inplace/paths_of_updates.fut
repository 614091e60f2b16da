-- Updates along paths of several indices and fields.

-- ==
-- entry: twice twice_let
-- input { [[1, 2], [3, 4]] } output { [[1, 7], [3, 4]] }

entry twice (xss: *[][]i32) = xss with [0][1] = 7

entry twice_let (xss: *[][]i32) = let xss[0][1] = 7 in xss

-- ==
-- entry: slices
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[1, 2], [3, 4], [7, 8]] [[1, 2], [9, 9], [5, 6]] }

entry slices (xss: [][]i32) =
  (copy xss with [1:3][1] = [7, 8], copy xss with [1:3][0][0:] = [9, 9])

-- ==
-- entry: fields
-- input { [[1, 2], [3, 4]] } output { [[1, 2], [0, 9]] [1, 10] [[1, 2], [3, 4]] }

entry fields (xss: [][]i32) =
  let rs = [{a = xss[0], b = 1}, {a = xss[1], b = 2}]
  let rs[1].a[1] = 9
  let rs[1].b = 10
  let rs = rs with [1].a[0] = 0
  in (map (.a) rs, map (.b) rs, xss)

-- ==
-- entry: field_first
-- input { [[1, 2], [3, 4]] } output { [[1, 2], [7, 8]] 2 }

entry field_first (xss: [][]i32) =
  let r = {m = {a = copy xss}, b = 2i32}
  let r = r with m.a[1][0] = 7
  let r.m.a[1][1] = 8
  in (r.m.a, r.b)

-- ==
-- entry: in_a_loop
-- input { 3i64 } output { [[0i64, 1, 2], [1, 2, 3], [2, 3, 4]] }
-- input { 0i64 } output { empty([0][0]i64) }

entry in_a_loop (n: i64) =
  let rows = replicate n {cells = replicate n 0i64}
  let filled =
    loop rows for i < n do
      loop rows for j < n do
        rows with [i].cells[j] = i + j
  in map (.cells) filled

-- ==
-- entry: outside
-- input { 1i64 } output { [[0, 0], [0, 5]] }
-- input { 2i64 } error: bounds

entry outside (i: i64) = replicate 2 (replicate 2 0) with [i][1] = 5
