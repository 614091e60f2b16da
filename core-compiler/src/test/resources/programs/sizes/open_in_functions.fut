-- Sizes that function types leave open are read off the values.
-- ==
-- entry: rows
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[2i32, 3i32], [4i32, 5i32]] }
def over (f: [][]i32 -> [][]i32) (xss: [][]i32) = f xss
entry rows (xss: [][]i32) = over (\yss -> map (map (+ 1)) yss) xss

-- ==
-- entry: sums
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [4i32, 6i32] }
def vec (f: [][]i32 -> []i32) (xss: [][]i32) = f xss
entry sums (xss: [][]i32) = vec (\yss -> reduce (map2 (+)) (map (const 0) yss[0]) yss) xss

-- ==
-- entry: scans
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [[1i32, 2i32], [4i32, 6i32]] }
entry scans (xss: [][]i32) = over (\yss -> scan (map2 (+)) (map (const 0) yss[0]) yss) xss

-- ==
-- entry: kept
-- input { [[1i32, 2i32], [-3i32, 4i32]] } output { [[1i32, 2i32]] }
entry kept (xss: [][]i32) = over (\yss -> filter (\r -> head r > 0) yss) xss

-- ==
-- entry: gradient
-- input { [1f64, 2f64] } output { [2f64, 4f64] }
def grad (f: []f64 -> f64) (xs: []f64) : []f64 = vjp f xs 1
entry gradient (xs: []f64) = grad (\ys -> f64.sum (map (\y -> y * y) ys)) xs

-- ==
-- entry: in_record
-- input { [1i32, 2i32] } output { [2i32, 4i32] }
type^ tool [n] = {run: [n]i32 -> [n]i32}
def doubler [n] : tool [n] = {run = map (* 2)}
entry in_record (xs: []i32) = doubler.run xs

-- ==
-- entry: twice
-- input { [1i32, -2i32, 3i32] } output { [1i32, 3i32] [-2i32] }
def both (f: []i32 -> []i32) (g: []i32 -> []i32) (xs: []i32) = (f xs, g xs)
entry twice (xs: []i32) = both (filter (> 0)) (filter (< 0)) xs

-- ==
-- entry: transposed
-- input { [[1i32, 2i32, 3i32]] } output { [[1i32], [2i32], [3i32]] }
entry transposed (xss: [][]i32) = over (\yss -> transpose yss) xss

-- ==
-- entry: flat
-- input { [[1i32, 2i32], [3i32, 4i32]] } output { [1i32, 2i32, 3i32, 4i32] }
entry flat (xss: [][]i32) = vec (\yss -> flatten yss) xss
