-- A parameter, or any name in a pattern, may be an operator in parentheses.
-- ==
-- input { [3, 1, 2] } output { 1 3 5 [4, 2, 3] }

def least [n] 'a ((<=): a -> a -> bool) (xs: [n]a) : a =
  reduce (\x y -> if x <= y then x else y) xs[0] xs

def greatest [n] 'a ((<=): a -> a -> bool) (xs: [n]a) : a = least (flip (<=)) xs

def twice 'a (f, (<+>)) (x: a) : a = f x <+> x

def main (xs: []i32) =
  let ((-), one) = (\a b -> a i32.+ b, 1)
  in (least (<=) xs, greatest (<=) xs, twice ((+ 1), (+)) 2, map (\x -> x - one) xs)
