-- ==
-- error:
def f (x: i32) : i32 = if x == 0 then 1 else x * f (x - 1)
def main (x: i32) = f x
