-- Values at top level.
-- ==
-- input { 1i32 } output { 43i32 }

-- ==
-- entry: table
-- input { 2i64 } output { 4i64 }

-- ==
-- entry: constant
-- input {} output { [0i64, 1i64, 4i64, 9i64] }

def answer : i32 = 42
def squares = map (\i -> i * i) (iota 4)

def main (x: i32) = x + answer
entry table (i: i64) = squares[i]
entry constant = squares
