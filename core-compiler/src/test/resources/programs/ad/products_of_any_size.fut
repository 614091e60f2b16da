-- Derivatives of products whose value no number can hold, but whose derivatives are numbers: dividing
-- the product by an element says nothing then.

def of_all [n] (xs: [n]f64) = vjp f64.product xs 1
def of_all32 [n] (xs: [n]f32) = vjp f32.product xs 1
def of_all16 [n] (xs: [n]f16) = vjp f16.product xs 1

-- | Products that are too small or too large, with zeros and infinite elements too.
-- ==
-- entry: doubles
-- input { [1e-170, 1e-150] }
-- output { [1e-150, 1e-170] }
-- input { [1e-200, 1e-150, 1.0] }
-- output { [1e-150, 1e-200, 0.0] }
-- input { [1e200, 1e200] }
-- output { [1e200, 1e200] }
-- input { [1e200, -1e200, 1e-300] }
-- output { [-1e-100, 1e-100, -f64.inf] }
-- input { [f64.inf, 2.0] }
-- output { [2.0, f64.inf] }
-- input { [-f64.inf, 2.0, -3.0] }
-- output { [-6.0, f64.inf, -f64.inf] }
-- input { [0.0, 1e-200, 1e-200, 1e300] }
-- output { [1e-100, 0.0, 0.0, 0.0] }
-- input { [0.0, 1e200, 1e200, 2.0] }
-- output { [f64.inf, 0.0, 0.0, 0.0] }
-- input { [0.0, 3.0, 0.0] }
-- output { [0.0, 0.0, 0.0] }
-- input { [0.0, f64.inf] }
-- output { [f64.inf, 0.0] }
-- input { [5e-324, 1e-10, 4e300] }
-- output { [4e290, 1.9762625833649862e-23, 0.0] }
-- input { [1e-100, 1e-100, 1e-100, 1e-100, 1e300] }
-- output { [1.0, 1.0, 1.0, 1.0, 0.0] }
-- input { [2.0, 3.0, 4.0] }
-- output { [12.0, 8.0, 6.0] }
-- input { empty([0]f64) }
-- output { empty([0]f64) }
entry doubles = of_all

-- ==
-- entry: floats
-- input { [1e-25f32, 1e-20f32] }
-- output { [1e-20f32, 1e-25f32] }
-- input { [1e30f32, 1e30f32, 1e-30f32] }
-- output { [1f32, 1f32, f32.inf] }
-- input { [0f32, 1e30f32, -1e-30f32] }
-- output { [-1f32, 0f32, 0f32] }
entry floats = of_all32

-- ==
-- entry: halves
-- input { [0.001f16, 0.01f16] }
-- output { [0.01f16, 0.001f16] }
-- input { [1000f16, 1000f16, 0.5f16] }
-- output { [500f16, 500f16, f16.inf] }
entry halves = of_all16

-- | One product a row.
-- ==
-- entry: rows
-- input { [[1e-170, 1e-150], [2.0, 3.0], [0.0, 4.0], [1e300, 1e300]] }
-- output { [[1e-150, 1e-170], [3.0, 2.0], [4.0, 0.0], [1e300, 1e300]] }
entry rows [n][m] (xss: [n][m]f64) = map of_all xss

-- | One product a column.
-- ==
-- entry: columns
-- input { [[1e-170, 2.0, 0.0], [1e-150, 3.0, 4.0]] }
-- output { [[1e-150, 3.0, 4.0], [1e-170, 2.0, 0.0]] }
entry columns [n][m] (xss: [n][m]f64) =
  vjp (reduce (map2 (*)) (replicate m 1)) xss (replicate m 1)

-- | Products in bins, few and many of them, with elements that have none.
-- ==
-- entry: bins
-- input { 2i64 [0i64, 1i64, 0i64, 1i64, 5i64, 1i64] [1e-170, 2.0, 1e-150, 3.0, 7.0, 4.0] }
-- output { [1e-150, 12.0, 1e-170, 8.0, 0.0, 6.0] }
-- input { 9i64 [0i64, 1i64, 0i64, 1i64, -1i64, 1i64] [1e200, 2.0, 1e200, 3.0, 7.0, 4.0] }
-- output { [1e200, 12.0, 1e200, 8.0, 0.0, 6.0] }
-- input { 3i64 [0i64, 1i64, 0i64, 1i64, 2i64, 1i64] [f64.inf, 0.0, -2.0, 3.0, 7.0, 4.0] }
-- output { [-2.0, 12.0, f64.inf, 0.0, 1.0, 0.0] }
-- input { 3i64 [2i64, 2i64, 2i64] [1e-200, 1e-200, 1e300] }
-- output { [1e100, 1e100, 0.0] }
entry bins [n] (k: i64) (is: [n]i64) (xs: [n]f64) : [n]f64 =
  vjp (\xs -> reduce_by_index (replicate k 1) (*) 1 is xs) xs (replicate k 1)

-- | Products of integers wrap around, so that they can't be divided either.
-- ==
-- entry: integers
-- input { [65536i32, 65536i32, 3i32] }
-- output { [196608i32, 196608i32, 0i32] }
-- input { [2i32, 3i32, 4i32] }
-- output { [12i32, 8i32, 6i32] }
entry integers [n] (xs: [n]i32) = vjp i32.product xs 1
