-- ==
-- input { 1i32 } output { 1i32 }
-- input { 0i32 } error: assert

def main (x: i32) = assert (x > 0) x
