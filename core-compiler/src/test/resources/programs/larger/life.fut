-- Conway's game of life on a torus.
-- ==
-- input { 1i32 [[0i32, 1i32, 0i32, 0i32], [0i32, 1i32, 0i32, 0i32], [0i32, 1i32, 0i32, 0i32], [0i32, 0i32, 0i32, 0i32]] }
-- output { [[0i32, 0i32, 0i32, 0i32], [1i32, 1i32, 1i32, 0i32], [0i32, 0i32, 0i32, 0i32], [0i32, 0i32, 0i32, 0i32]] }

def neighbours [n] [m] (world: [n][m]i32) : [n][m]i32 =
  let north = rotate (-1) world
  let south = rotate 1 world
  let sum4 a b c d = map4 (map4 (\a b c d -> a + b + c + d)) a b c d
  let vertical = map2 (map2 (+)) north south
  let wests = map (rotate (-1))
  let easts = map (rotate 1)
  in map2 (map2 (+)) vertical
          (sum4 (wests world) (easts world) (wests vertical) (easts vertical))

def step [n] [m] (world: [n][m]i32) : [n][m]i32 =
  let rule cell around =
    if around == 3 || (cell == 1 && around == 2) then 1 else 0
  in map2 (map2 rule) world (neighbours world)

def main [n] [m] (steps: i32) (world: [n][m]i32) = iterate steps step world
