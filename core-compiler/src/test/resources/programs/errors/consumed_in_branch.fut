-- What one branch consumed is gone, whatever the other one did.
-- ==
-- error: consumed
def main (xs: *[]i32) (b: bool) : i32 =
  let ys = if b then xs with [0] = 9 else xs
  in ys[0] + xs[0]
