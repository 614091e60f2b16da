-- Sizes of ranges, and of what an assertion guards.

def below (n: i64) : [n + 1 - 1]i64 = 1..<n + 1

def below_by_one (n: i64) : [n - 1]i64 = 1..2..<n

def up_to (n: i64) : [n]i64 = 1..2...n

def three : [3]i64 = 1..<4i64

-- ==
-- entry: ranges
-- input { 4i64 } output { [1i64, 2, 3, 4] [1i64, 2, 3] [1i64, 2, 3, 4] [1i64, 2, 3] }
-- input { 1i64 } output { [1i64] empty([0]i64) [1i64] [1i64, 2, 3] }
-- input { 0i64 } error: Range 1..2..<0 is invalid

entry ranges (n: i64) : ([]i64, []i64, [n]i64, [3]i64) = (below n, below_by_one n, up_to n, three)

def guarded n : [n]i64 = iota (assert (n > 10) n)

def paired (n: i64) = zip (iota (assert (n > 10) n)) (iota n)

-- ==
-- entry: guard
-- input { 11i64 } output { 55i64 11i64 }
-- input { 10i64 } error: Assertion is false: n > 10

entry guard (n: i64) = (i64.sum (guarded n), length (paired n))
