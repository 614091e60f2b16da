-- Names of entry points may have apostrophes, like any other.

-- ==
-- entry: f' f f''g'
-- input { 1 } output { 2 }

entry f' (x: i32) = x + 1

entry f (x: i32) = x + 1

entry f''g' (x: i32) = f' x
