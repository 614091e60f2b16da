-- Calls of a recursive function whose results nobody uses, in maps over maps: only a length is.

def factorial (n: i32) : i32 = if n <= 1 then 1 else n * factorial (n - 1)

-- ==
-- tags { no_cuda no_simulate }
-- entry: lengths
-- input { [1, 2, 5] } output { [3i64, 3, 3] }
-- input { empty([0]i32) } output { [0i64, 0, 0] }
entry lengths (ns: []i32) = map (\_ -> length (map factorial ns)) (iota 3)

-- ==
-- entry: of_rows
-- input { [[1, 2, 5], [0, 1, 3]] } output { [3i64, 3] [123, 8] }
entry of_rows (nss: [][]i32) =
  unzip (map (\ns -> (length (map factorial ns), i32.sum (map factorial (map (\n -> n - n / 6) ns)))) nss)
