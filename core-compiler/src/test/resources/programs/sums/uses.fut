-- Variants as programs use them.
type shape = #circle f32 | #rect f32 f32 | #unit
-- ==
-- entry: area
-- input { 0i32 2f32 3f32 } output { 12.56637f32 }
-- input { 1i32 2f32 3f32 } output { 6f32 }
-- input { 2i32 2f32 3f32 } output { 1f32 }
def mk (k: i32) (a: f32) (b: f32) : shape = match k case 0 -> #circle a case 1 -> #rect a b case _ -> #unit
def areaof (s: shape) = match s case #circle r -> f32.pi * r * r case #rect a b -> a * b case #unit -> 1
entry area (k: i32) (a: f32) (b: f32) = areaof (mk k a b)
-- ==
-- entry: areas
-- input { [0i32,1i32,2i32] [1f32,2f32,3f32] } output { [3.14159f32, 4f32, 1f32] }
entry areas [n] (ks: [n]i32) (xs: [n]f32) = map areaof (map2 (\k x -> mk k x x) ks xs)
type opt 'a = #some a | #none
def bind 'a 'b (f: a -> opt b) (x: opt a) : opt b = match x case #some y -> f y case #none -> #none
def safediv (x: i32) (y: i32) : opt i32 = if y == 0 then #none else #some (x / y)
def unwrap 'a (d: a) (x: opt a) = match x case #some y -> y case #none -> d
-- ==
-- entry: divs
-- input { 100 5 2 } output { 10i32 }
-- input { 100 0 2 } output { -1i32 }
-- input { 100 5 0 } output { -1i32 }
entry divs (x: i32) (y: i32) (z: i32) = unwrap (-1) (bind (\v -> safediv v z) (safediv x y))
-- ==
-- entry: findmax
-- input { [3,9,2] } output { 9i32 }
-- input { empty([0]i32) } output { -1i32 }
entry findmax (xs: []i32) =
  let f (a: opt i32) (b: opt i32) : opt i32 = match (a, b) case (#some x, #some y) -> #some (i32.max x y) case (#none, y) -> y case (x, #none) -> x
  in unwrap (-1) (reduce f #none (map (\x -> #some x) xs))
-- ==
-- entry: pats
-- input { 1 2 } output { 12i32 }
-- input { 5 0 } output { 50i32 }
-- input { 0 7 } output { 7i32 }
entry pats (x: i32) (y: i32) : i32 = match (x, y) case (0, z) -> z case (w, 0) -> w * 10 case (w, z) -> w * 10 + z
-- ==
-- entry: nest
-- input { 1 } output { 1i32 }
-- input { 2 } output { 20i32 }
-- input { 3 } output { 100i32 }
type tree = #leaf i32 | #node (#l i32 | #r i32) | #nothing {a: i32, b: bool}
entry nest (x: i32) =
  let t : tree = if x == 1 then #leaf 1 else if x == 2 then #node (#r 20) else #nothing {a = 100, b = true}
  in match t case #leaf v -> v case #node (#l v) -> v + 1 case #node (#r v) -> v case #nothing {a, b = true} -> a case #nothing {a = _, b = false} -> 0
-- ==
-- entry: lits
-- input { 3u8 } output { 1i32 }
-- input { 4u8 } output { 2i32 }
-- input { 104u8 } output { 3i32 }
-- input { 105u8 } output { 0i32 }
entry lits (x: u8) : i32 = match x case 3 -> 1 case 4 -> 2 case 'h' -> 3 case _ -> 0
-- ==
-- entry: fl
-- input { 1.5f32 } output { true }
-- input { 2f32 } output { false }
entry fl (x: f32) = match x case 1.5 -> true case _ -> false
-- ==
-- entry: negl
-- input { -1 } output { 1i32 }
-- input { 1 } output { 2i32 }
entry negl (x: i32) : i32 = match x case -1 -> 1 case _ -> 2
-- ==
-- entry: bools
-- input { true false } output { 2i32 }
entry bools (x: bool) (y: bool) : i32 = match (x, y) case (true, true) -> 1 case (true, false) -> 2 case (false, _) -> 3
-- ==
-- entry: loopsum
-- input { 10 } output { 55i32 }
entry loopsum (n: i32) =
  let r = loop s : (#go (i32, i32) | #done i32) = #go (0, 0) while (match s case #go _ -> true case #done _ -> false) do
    match s case #go (i, acc) -> if i > n then #done acc else #go (i + 1, acc + i) case #done x -> #done x
  in match r case #done x -> x case #go _ -> -1
-- ==
-- entry: arrpay
-- input { true [1,2,3] } output { 6i32 }
-- input { false [1,2,3] } output { 3i32 }
entry arrpay [n] (b: bool) (xs: [n]i32) =
  let v : (#arr ([n]i32) | #len i64) = if b then #arr xs else #len n
  in match v case #arr ys -> i32.sum ys case #len k -> i32.i64 k
-- ==
-- entry: eqs
-- input { 1 1 } output { true }
-- input { 1 2 } output { false }
entry eqs (x: i32) (y: i32) = (#some x : opt i32) == #some y
-- ==
-- entry: op
-- input { 2i32 } output { 3i32 }
entry mkop (x: i32) : opt i32 = if x > 0 then #some x else #none
entry op (x: i32) = match mkop x case #some y -> y + 1 case #none -> 0
-- ==
-- entry: sumarr
-- input { [1,-1,2] } output { [2i32,0i32,3i32] [true,false,true] }
entry sumarr (xs: []i32) = let os = map mkop xs in (map (\o -> match o case #some y -> y + 1 case #none -> 0) os, map (\o -> match o case #some _ -> true case #none -> false) os)
