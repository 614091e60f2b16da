-- Derivatives of sums of rows of which only some elements are read.

def sums [n] (xs: [n]f64) : [2]f64 = reduce (map2 (+)) [0, 0] (map (\x -> [x, x * x]) xs)

-- | One element.
-- ==
-- entry: first
-- input { [1.0, 2.0, 3.0] }
-- output { [1.0, 1.0, 1.0] }
entry first [n] (xs: [n]f64) : [n]f64 = vjp (\xs -> (sums xs)[0]) xs 1

-- | Both, one by one.
-- ==
-- entry: product
-- input { [1.0, 2.0, 3.0] }
-- output { [26.0, 38.0, 50.0] }
entry product [n] (xs: [n]f64) : [n]f64 = vjp (\xs -> let r = sums xs in r[0] * r[1]) xs 1

-- | One, and a sum of numbers beside it.
-- ==
-- entry: beside
-- input { [1.0, 2.0, 3.0] }
-- output { [8.0, 16.0, 24.0] }
entry beside [n] (xs: [n]f64) : [n]f64 =
  vjp (\xs -> let (a, b) = reduce (\(a, x) (b, y) -> (map2 (+) a b, x + y)) ([0, 0], 0)
                                  (map (\x -> ([x, x * x], 3 * x * x)) xs)
              in a[1] + b) xs 1
