-- The sizes of a sum type's payloads may be coerced; they are checked when the program runs.

type s [n] = #a ([n]i32) | #b

def total [n] (x: s [n]) = match x case #a xs -> i32.sum xs case #b -> 0

def as [n] (m: i64) (x: s [n]) = x :> #a ([m]i32) | #b

def positive (xs: []i32) : ?[n].s [n] = #a (filter (> 0) xs)

-- ==
-- entry: constructed chosen given
-- input { [1, 2, 3] 3i64 } output { 6 }
-- input { [1, 2, 3] 2i64 } error: cannot match shape

entry constructed (xs: []i32) (m: i64) = total (as m (#a xs))

entry chosen (xs: []i32) (m: i64) = total ((if m > 5 then #b else #a xs) :> s [m])

entry given (xs: []i32) (m: i64) = total (positive xs :> s [m])

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] 2i64 } output { [3, 7] }
-- input { [[1, 2], [3, 4]] 3i64 } error: cannot match shape

entry rows (xss: [][]i32) (m: i64) = map total (map (\xs -> #a xs) xss :> [](s [m]))
