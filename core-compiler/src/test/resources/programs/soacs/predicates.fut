-- Questions about all elements.
-- ==
-- input { [2i32, 4i32] } output { true true }
-- input { [1i32, 2i32] } output { false true }
-- input { [1i32, 3i32] } output { false false }
-- input { empty([0]i32) } output { true false }

-- ==
-- entry: truths
-- input { [true, false] } output { false true }

def even (x: i32) = x % 2 == 0
def main (xs: []i32) = (all even xs, any even xs)
entry truths (bs: []bool) = (and bs, or bs)
