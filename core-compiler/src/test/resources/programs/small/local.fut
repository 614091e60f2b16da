-- ==
-- entry: loc
-- input { 3 } output { 12 }
-- ==
-- entry: shadow
-- input { 3 } output { 7 }
-- ==
-- entry: poly
-- input { 3 } output { 3 [1,2] true }
-- ==
-- entry: assertion
-- input { 3 } output { 3 }
-- input { -3 } error:
-- ==
-- entry: strings
-- input { 1 } output { "hello" 5i64 }
entry loc (x: i32) =
  let f [n] (k: i32) (xs: [n]i32) = k + i32.sum xs
  let g [n] (ys: [n]i32) = f x ys
  in g [1, 2] + g [3]
entry shadow (x: i32) = let x = x + 1 let x = x + 3 in x
def id2 'a (x: a) = x
entry poly (x: i32) = (id2 x, id2 [1, 2], id2 true)
entry assertion (x: i32) = assert (x > 0) x
entry strings (_: i32) : ([]u8, i64) = ("hello", length "hello")
