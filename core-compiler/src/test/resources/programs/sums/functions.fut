-- Functions in the payloads of sums: which constructor it is, is always known.

type^ t = #f (i32 -> i32) i32 | #g i32 (i32 -> i32, f32) | #n
def run (v: t) (x: i32) = match v case #f f y -> f x + y case #g y (g, z) -> g y + i32.f32 z case #n -> 0
type^ opt '^a = #some a | #none
type^ u = #f (opt (i32 -> i32)) i32 (i32 -> i32)
def run2 (v: u) (x: i32) = match v case #f (#some f) y g -> f x + g y case #f #none y g -> y + g x
-- ==
-- entry: one
-- input { 5 } output { 8 17 0 }
entry one (x: i32) = (run (#f (+1) x) 2, run (#g 3 ((*x), 2.0)) 3, run #n 2)
-- ==
-- entry: two
-- input { 5 } output { 13 11 }
entry two (x: i32) = (run2 (#f (#some (+1)) x (*2)) 2, run2 (#f #none x (*3)) 2)
