-- Sum types over a type parameter that may hide sizes, or be a function.

type^ two '~b = #foo b | #bar b

def get '~b (x: two b) : b = match x case #foo a -> a case #bar b -> b

def inferred '~b (x: two b) = match x case #foo a -> a case #bar b -> b

def make '~b (c: bool) (x: b) : two b = if c then #foo x else #bar x

def map_two '~a '~b (f: a -> b) (x: two a) : two b =
  match x
  case #foo a -> #foo (f a)
  case #bar b -> #bar (f b)

def len (x: two ([]i32)) = match x case #foo a -> length a case #bar b -> length b + 10

-- ==
-- entry: known
-- input { [1, 2, 3] } output { 3i64 13i64 3i64 [1, 2, 3] [1, 2, 3] }
-- input { [0, 2] } output { 2i64 12i64 12i64 [0, 2] [0, 2] }

entry known [n] (xs: [n]i32) =
  (len (#foo xs), len (#bar xs), len (make (xs[0] > 0) xs), get (make (xs[0] > 0) xs), inferred (#foo xs))

-- ==
-- entry: hidden
-- input { [1, 2, 3] } output { 3i64 [1, 2, 3] 3i64 }
-- input { [0, 2] } output { 11i64 [2] 1i64 }

entry hidden (xs: []i32) =
  let x = map_two (filter (> 0)) (if xs[0] > 0 then #foo xs else #bar xs)
  in (len x, get x, length (get (map_two (map (+ 1)) x)))

type~ arr = []i32

def positive (xs: []i32) : arr = filter (> 0) xs

-- ==
-- entry: abbreviated
-- input { [1, 2, 3] } output { 3i64 [1, 2, 3] }
-- input { [0, 2] } output { 1i64 [2] }

entry abbreviated (xs: []i32) =
  let x = make (xs[0] > 0) (positive xs)
  in (length (get x), inferred x)

-- ==
-- entry: from_arguments
-- input { 2i64 } output { [0i64, 1, 2] 2i64 }
-- input { 4i64 } output { [0i64, 1, 2, 3, 4] 4i64 }

entry from_arguments (n: i64) =
  let x = map_two iota (if n > 3 then #foo n else #bar n)
  in (get (map_two (\k -> iota (k + 1)) (make (n > 3) n)), length (get x))

type^ opt '^b = #some b | #none

def apply (f: opt (i32 -> i32)) (x: i32) = match f case #some g -> g x case #none -> x

-- ==
-- entry: functions
-- input { 3 } output { 4 3 }

entry functions (x: i32) = (apply (#some (+ 1)) x, apply #none x)

-- Sums in sums: constructors that can't be there together have sizes in common, parts of one don't.

type^ pair '~b = #left b | #both b b | #none

type^ nest '~b = #in (pair b) b | #out b | #nothing

def nest_of '^a '~b (f: a -> b) (k: i64) (x: a) (y: a) (z: a) : nest b =
  if k == 0
  then #out (f x)
  else if k == 1
  then #in (#left (f x)) (f y)
  else if k == 2
  then #in #none (f z)
  else #in (#both (f x) (f x)) (f y)

-- ==
-- entry: nested
-- input { 2i64 3i64 } output { [2i64, 203, 5, 20203] }

entry nested (n: i64) (m: i64) =
  map (\k ->
         match nest_of iota k n m 5
         case #in (#left a) b -> 100 * length a + length b
         case #in (#both a b) c -> 10000 * length a + 100 * length b + length c
         case #in #none b -> length b
         case #out b -> length b
         case #nothing -> 0)
      (iota 4)

-- A constructor that the function never makes.

def only_foo (xs: []i32) : #foo ([]i32) | #bar ([]i32) = #foo (filter (> 0) xs)

-- ==
-- entry: never_made
-- input { [1, 2, -1] } output { 2i64 }

entry never_made (xs: []i32) =
  match only_foo xs
  case #foo a -> length a
  case #bar b -> length b + 100
