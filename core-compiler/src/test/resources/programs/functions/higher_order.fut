-- Functions as values: passed, returned, partially applied, composed.
-- ==
-- entry: twice
-- input { 3i32 } output { 12i32 }

-- ==
-- entry: partial
-- input { 3i32 } output { 13i32 }

-- ==
-- entry: compose
-- input { 3i32 } output { 8i32 7i32 }

-- ==
-- entry: pipes
-- input { [1i32, 2i32, 3i32] } output { 12i32 }

-- ==
-- entry: sections
-- input { 10i32 } output { 9i32 -9i32 20i32 100i32 }

-- ==
-- entry: in_record
-- input { 4i32 } output { 5i32 8i32 }

-- ==
-- entry: returned
-- input { 4i32 } output { 14i32 }

-- ==
-- entry: captured
-- input { 2i32 [1i32, 2i32] } output { [3i32, 4i32] }

def apply_twice 'a (f: a -> a) (x: a) : a = f (f x)

entry twice (x: i32) = apply_twice (\y -> y * 2) x

def add3 (x: i32) (y: i32) (z: i32) = x + y + z

entry partial (x: i32) =
  let f = add3 4 6
  in f x

def inc (x: i32) = x + 1
def double (x: i32) = x * 2

entry compose (x: i32) = ((inc >-> double) x, (inc <-< double) x)

entry pipes (xs: []i32) = xs |> map (* 2) |> reduce (+) 0

entry sections (x: i32) = ((\y -> y - 1) x, (1 -) x, (* 2) x, (\f -> f x x) (*))

entry in_record (x: i32) =
  let ops = {inc, double}
  in (ops.inc x, ops.double x)

def adder (n: i32) : i32 -> i32 = \x -> x + n

entry returned (x: i32) = (adder 10) x

entry captured (n: i32) (xs: []i32) =
  let f x = x + n
  in map f xs
