-- Payloads that share places; sums within arrays, loops and branches.
-- ==
-- entry: shared
-- input { 0i32 } output { 7f64 }
-- input { 1i32 } output { 6f64 }
-- input { 2i32 } output { 2f64 }

-- ==
-- entry: state_machine
-- input { [1i32, 1i32, 0i32, 1i32] } output { 2i32 }

-- ==
-- entry: reduced
-- input { [3i32, -1i32, 5i32] } output { 5i32 }
-- input { [-3i32, -1i32] } output { -100i32 }

-- ==
-- entry: records_inside
-- input { 3i32 } output { 6i32 }

type mixed = #a i32 f64 | #b f64 f64 | #c bool

def value (m: mixed) : f64 =
  match m
  case #a i x -> f64.i32 i + x
  case #b x y -> x * y
  case #c b -> if b then 2 else 3

entry shared (k: i32) =
  value (if k == 0 then #a 3 4 else if k == 1 then #b 2 3 else #c true)

type state = #outside | #inside i32

entry state_machine (xs: []i32) : i32 =
  let final = loop s = (#outside : state) for x in xs do
    match (s, x)
    case (#outside, 1) -> #inside 1
    case (#outside, _) -> #outside
    case (#inside n, 1) -> #inside (n + 1)
    case (#inside n, _) -> #inside (n - 1)
  in match final case #outside -> 0 case #inside n -> n

type opt = #some i32 | #none

entry reduced (xs: []i32) : i32 =
  let op (x: opt) (y: opt) : opt =
    match (x, y)
    case (#none, _) -> y
    case (_, #none) -> x
    case (#some a, #some b) -> #some (i32.max a b)
  let best = reduce op #none (map (\x -> if x > 0 then #some x else #none) xs)
  in match best case #some x -> x case #none -> -100

entry records_inside (x: i32) : i32 =
  let v : #point {x: i32, y: i32} | #origin = #point {x, y = x}
  in match v case #point {x, y} -> x + y case #origin -> 0
