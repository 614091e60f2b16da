-- ==
-- entry: compose
-- input { 5 } output { 21 }
-- ==
-- entry: applyn
-- input { 3i32 2 } output { 16 }
-- ==
-- entry: funs
-- input { 4 } output { [5, 8, 16] }
-- ==
-- entry: sections
-- input { [1,2,3] } output { [2,3,4] [-1,0,1] [1,0,-1] }
def (<|<) 'a 'b 'c (f: b -> c) (g: a -> b) (x: a) : c = f (g x)
entry compose (x: i32) = ((+ 1) <|< (* 4)) x
def twice 'a (f: a -> a) = f >-> f
def pick (k: i32) = if k == 0 then 1i32 else 2i32
entry applyn (k: i32) (x: i32) = twice (twice (\y -> y + k)) x + pick k
entry funs (x: i32) = let fs = (\y -> y + 1, \y -> y * 2, \y -> y * y) in [fs.0 x, fs.1 x, fs.2 x]
entry sections (xs: []i32) = (map (+ 1) xs, map (\x -> x - 2) xs, map (2 -) xs)
