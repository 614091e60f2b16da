-- ==
-- error:
module m : { type t val x : t } = { type t = i32 def x = 1i32 }
def main (y: i32) = m.x + y
