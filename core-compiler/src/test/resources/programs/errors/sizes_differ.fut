-- ==
-- error:
def main [n] (xs: [n]i32) (ys: [n+1]i32) = map2 (+) xs ys
