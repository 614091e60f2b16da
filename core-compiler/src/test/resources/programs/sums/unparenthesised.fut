-- A sum type reaches as far as it can, also after `*` and sizes.

def length_of (x: *[]#a | #b) = length x

type states [n] = [n]#on i32 | #off

def make (n: i64) : *[n]#on i32 | #off = replicate n (#on 5)

def values (xs: []#on i32 | #off) =
  map (\x -> match x case #on v -> v case #off -> 0) xs

def first (f: []#on i32 | #off -> i32) (xs: states []) = f xs

-- ==
-- entry: main
-- input { 3i64 } output { 2i64 [5, 5, 5] 5 }

entry main (n: i64) = (length_of [#a, #b], values (make n), first (\xs -> (values xs)[0]) (make n))
