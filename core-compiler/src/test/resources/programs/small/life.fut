-- Conway's life.
-- ==
-- input { 1i32 [[false,false,false],[true,true,true],[false,false,false]] } output { [[true,true,true],[true,true,true],[true,true,true]] }
def life [n][m] (w: [n][m]bool) : [n][m]bool =
  let b2i (b: bool) = i32.bool b
  let neigh = map (map b2i) w |> \v ->
    let rows = map3 (map3 (\a b c -> a + b + c)) (rotate (-1) v) v (rotate 1 v)
    in map (\r -> map3 (\a b c -> a + b + c) (rotate (-1) r) r (rotate 1 r)) rows
  in map2 (map2 (\alive c -> c == 3 || alive && c == 4)) w neigh
def main [n][m] (k: i32) (w: [n][m]bool) = loop w for _i < k do life w
