-- The message of arguments whose sizes disagree has its numbers.
entry main [n] (a: [n]i32) (b: [n]i32) = map2 (+) a b
-- ==
-- input { [1] [1,2] } error: argument 2 of main has 2 elements in dimension 1, but the size n is 1
