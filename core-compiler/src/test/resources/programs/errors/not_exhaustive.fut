-- ==
-- error:
type t = #a | #b | #c
def main (x: i32) = let v : t = if x > 0 then #a else #b in match v case #a -> 1 case #b -> 2
