-- An argument is evaluated before the function that it is given to, so the last one decides sizes
-- that those on its left need.
-- ==
-- entry: zipped
-- input { [1i32, -2i32, 3i32] } output { [7i32, 7i32] [1i32, 3i32] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }
def filled [m] (x: i32) : [m]i32 = replicate m x
entry zipped (xs: []i32) = unzip (zip (filled 7) (filter (> 0) xs))
-- ==
-- entry: partial
-- input { [4i32, -2i32, 3i32] } output { 8i32 }
def apply '^a '^b (f: a -> b) (x: a) : b = f x
def part [n] (g: [n]i32 -> i32) (x: i32) (ys: [n]i32) = g ys + x + i32.i64 n
entry partial (xs: []i32) = apply (part (\zs -> zs[0]) 2) (filter (> 0) xs)
-- ==
-- entry: emptied
-- input { [4i32, -2i32, 3i32] } output { [[4i32, 3i32]] }
entry emptied (xs: []i32) = concat [] [filter (> 0) xs]
-- ==
-- entry: sums
-- input { [4i32, -2i32, 3i32] } output { 3i64 2i64 }
type s [n] [m] = #foo ([n]i32) | #bar ([m]i32)
def sizes [n] [m] (x: s [n] [m]) (ys: [m]i32) = (n, length ys)
entry sums (xs: []i32) = sizes (#foo xs) (filter (> 0) xs)
-- ==
-- entry: two
-- input { [4i32, -2i32, 3i32] } output { [6i32, 5i32] [-1i32] }
def added [n] [m] (a: [n]i32) (b: [n]i32) (c: [m]i32) (d: [m]i32) =
  (map2 (+) a b, map2 (+) c d)
entry two (xs: []i32) = added (filled 2) (filter (> 0) xs) (filled 1) (filter (< 0) xs)
-- A function that is an argument gives arrays of another size at each call.
-- ==
-- entry: twice
-- input { [4i32, -2i32, 3i32, 1i32] } output { [4i32, 3i32, 1i32] [4i32, 3i32] 5i64 }
def both '~a (g: i32 -> a) : (a, a) = (g 0, g 2)
entry twice (xs: []i32) =
  let (a, b) = both (\i -> filter (> i) xs)
  in (a, b, length a + length b)
-- A function that only reads a size off its argument may come before the argument.
-- ==
-- entry: read
-- input { [4i32, -2i32, 3i32, 1i32] } output { 3i64 8i32 }
def given 'a 'b (xs: []a) (f: []a -> b) = f xs
entry read (xs: []i32) = (given (filter (> 0) xs) length, given (filter (> 0) xs) (\ys -> i32.sum ys))
