-- Operators of the program's own.
-- ==
-- input { 3i32 4i32 } output { 10i32 7i32 }

def (+^) (x: i32) (y: i32) : i32 = x + 2 * y - 1
def x `plus` y = x + y : i32

def main (x: i32) (y: i32) = (x +^ y, x `plus` y)
