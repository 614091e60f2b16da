-- ==
-- entry: eval
-- input { 3 4 } output { 10 }
-- ==
-- entry: classify
-- input { [-1, 0, 5] } output { [0, 1, 2] }
-- ==
-- entry: opt
-- input { [3, 4] 3 } output { 0i64 true }
-- input { [3, 4] 7 } output { -1i64 false }
type expr = #add i32 i32 | #mul i32 i32 | #lit i32 | #neg
type option 'a = #none | #some a
def ev (e: expr) : i32 = match e
  case #add a b -> a + b
  case #mul a b -> a * b
  case #lit (0) -> -100
  case #lit n -> n
  case #neg -> -1
entry eval (a: i32) (b: i32) = i32.sum (map ev [#add a b, #lit (a+1), #neg]) 
entry classify (xs: []i32) = map (\x -> match x < 0 case true -> 0 case false -> match x case 0 -> 1 case _ -> 2) xs
def find [n] (xs: [n]i32) (x: i32) : option i64 =
  reduce (\a b -> match (a, b) case (#some i, _) -> #some i case (_, o) -> o) #none
    (map2 (\y i -> if x == y then #some i else #none) xs (iota n))
entry opt (xs: []i32) (x: i32) = match find xs x case #some i -> (i, true) case #none -> (-1, false)
