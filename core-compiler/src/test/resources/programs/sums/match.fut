-- Sum types and pattern matching.
-- ==
-- entry: area
-- input { 0i32 2f64 3f64 } output { 12f64 }
-- input { 1i32 2f64 3f64 } output { 6f64 }
-- input { 2i32 2f64 3f64 } output { 0f64 }

-- ==
-- entry: option
-- input { [1i32, 2i32] 1i64 } output { 2i32 }
-- input { [1i32, 2i32] 5i64 } output { -1i32 }

-- ==
-- entry: literals
-- input { 1i32 } output { 10i32 }
-- input { -1i32 } output { 20i32 }
-- input { 3i32 } output { 30i32 }

-- ==
-- entry: nested
-- input { true } output { 3i32 }
-- input { false } output { 4i32 }

-- ==
-- entry: in_array
-- input { [1i32, -2i32, 3i32] } output { 4i32 }

-- ==
-- entry: tuples
-- input { 1i32 true } output { 1i32 }
-- input { 1i32 false } output { 2i32 }
-- input { 0i32 false } output { 3i32 }

-- ==
-- entry: arrays
-- input { true [1i32, 2i32] } output { 3i32 }
-- input { false [1i32, 2i32] } output { 0i32 }

type shape = #square f64 | #rectangle f64 f64 | #nothing

def make (k: i32) (a: f64) (b: f64) : shape =
  if k == 0 then #square a
  else if k == 1 then #rectangle a b
  else #nothing

def measure (s: shape) : f64 =
  match s
  case #square a -> 3 * a * a
  case #rectangle a b -> a * b
  case #nothing -> 0

entry area (k: i32) (a: f64) (b: f64) = measure (make k a b)

type opt 'a = #some a | #none

def get 'a (xs: []a) (i: i64) : opt a =
  if i >= 0 && i < length xs then #some xs[i] else #none

entry option (xs: []i32) (i: i64) =
  match get xs i
  case #some x -> x
  case #none -> -1

entry literals (x: i32) : i32 =
  match x
  case 1 -> 10
  case -1 -> 20
  case y -> 10 * y

entry nested (b: bool) : i32 =
  let v : opt (opt i32) = if b then #some (#some 3) else #some #none
  in match v
     case #some (#some x) -> x
     case #some #none -> 4
     case #none -> 5

entry in_array (xs: []i32) : i32 =
  let ys = map (\x -> if x > 0 then (#some x : opt i32) else #none) xs
  in i32.sum (map (\y -> match y case #some x -> x case #none -> 0) ys)

entry tuples (x: i32) (b: bool) : i32 =
  match (x, b)
  case (1, true) -> 1
  case (1, _) -> 2
  case (_, false) -> 3
  case _ -> 4

entry arrays [n] (b: bool) (xs: [n]i32) : i32 =
  let v : opt ([n]i32) = if b then #some xs else #none
  in match v
     case #some ys -> i32.sum ys
     case #none -> 0
