-- Operators on integers and floats, with their rounding.
-- ==
-- entry: ints
-- input { 7i32 2i32 } output { 9i32 5i32 14i32 3i32 1i32 49i32 }
-- input { -7i32 2i32 } output { -5i32 -9i32 -14i32 -4i32 1i32 49i32 }
-- input { 2i32 -2i32 } error:

-- ==
-- entry: towards_zero
-- input { -7i32 2i32 } output { -3i32 -1i32 }
-- input { 7i32 -2i32 } output { -3i32 1i32 }
-- input { 7i32 0i32 } error:

-- ==
-- entry: floats
-- input { 7f64 2f64 } output { 9f64 5f64 14f64 3.5f64 1f64 49f64 }

-- ==
-- entry: bits
-- input { 12i32 10i32 } output { 8i32 14i32 6i32 12288i32 0i32 -13i32 }

-- ==
-- entry: shifts
-- input { -8i32 1i32 } output { -4i32 2147483644i32 }

-- ==
-- entry: compare
-- input { 1i64 2i64 } output { false true true true false false }
-- input { 2i64 2i64 } output { true false false true true false }

-- ==
-- entry: logic
-- input { true false } output { false true false }
-- input { true true } output { true true false }
-- input { false false } output { false false true }

entry ints (x: i32) (y: i32) = (x + y, x - y, x * y, x / y, x % y, x ** y)
entry towards_zero (x: i32) (y: i32) = (x // y, x %% y)
entry floats (x: f64) (y: f64) = (x + y, x - y, x * y, x / y, x % y, x ** y)
entry bits (x: i32) (y: i32) = (x & y, x | y, x ^ y, x << y, x >> y, !x)
entry shifts (x: i32) (n: i32) = (x >> n, x >>> n)
entry compare (x: i64) (y: i64) = (x == y, x != y, x < y, x <= y, x >= y, x > y)
entry logic (a: bool) (b: bool) = (a && b, a || b, !a)
