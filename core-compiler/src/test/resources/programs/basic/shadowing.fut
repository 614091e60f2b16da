-- Names hide earlier ones; a primed name is another name.
-- ==
-- input { 1i32 } output { 4i32 11i32 }

def f (x: i32) = x + 1
def g (f: i32 -> i32) (x: i32) = f (f x)

def main (x: i32) =
  let x = x + 1
  let x' = 10
  let f = \y -> f y
  in (g f x, let x = x' in x + 1)
