-- Functions that take and return functions in all kinds of wrappings.
-- ==
-- entry: parser_like
-- input { 5i32 } output { 36i32 }

-- ==
-- entry: church
-- input { 3i32 } output { 24i32 }

-- ==
-- entry: record_of_functions
-- input { 3i32 4i32 } output { 7i32 12i32 }

-- ==
-- entry: function_from_match
-- input { 3i32 } output { 6i32 }

-- ==
-- entry: over_array
-- input { [1i32, 2i32, 3i32] } output { [11i32, 12i32, 13i32] }

-- ==
-- entry: curried_map2
-- input { [1i32, 2i32] [3i32, 4i32] } output { [4i32, 6i32] }

type^ step = i32 -> i32
type^ ops = {plus: i32 -> i32 -> i32, times: i32 -> i32 -> i32}

def andthen (f: step) (g: step) : step = \x -> g (f x)

entry parser_like (x: i32) = (andthen (+ 1) (andthen (\y -> y * y) id)) x

def three 'a (f: a -> a) : a -> a = f >-> f >-> f
entry church (x: i32) = three (* 2) x

def standard : ops = {plus = (+), times = (*)}
def use (o: ops) (x: i32) (y: i32) = (o.plus x y, o.times x y)
entry record_of_functions (x: i32) (y: i32) = use standard x y

def select (k: i32) (x: i32) : i32 =
  match k
  case 0 -> x
  case _ -> 2 * x
entry function_from_match (x: i32) = (select 1) x

def offset [n] (k: i32) : [n]i32 -> [n]i32 = map (+ k)
entry over_array (xs: []i32) = offset 10 xs

entry curried_map2 [n] (xs: [n]i32) (ys: [n]i32) =
  let f = map2 (+) xs
  in f ys
