-- A step of gravity among bodies, with records.
-- ==
-- input { [0f64, 1f64] [0f64, 0f64] [1f64, 1f64] 0.5f64 } output { [0.25f64, 0.75f64] [0f64, 0f64] }

type vec = {x: f64, y: f64}
type body = {pos: vec, vel: vec, mass: f64}

def plus (a: vec) (b: vec) : vec = {x = a.x + b.x, y = a.y + b.y}
def scale (k: f64) (a: vec) : vec = {x = k * a.x, y = k * a.y}
def zero : vec = {x = 0, y = 0}

def force (a: body) (b: body) : vec =
  let d = plus b.pos (scale (-1) a.pos)
  let r2 = d.x * d.x + d.y * d.y
  in if r2 == 0 then zero else scale (b.mass / (r2 * f64.sqrt r2)) d

def step [n] (dt: f64) (bodies: [n]body) : [n]body =
  map (\b ->
         let acc = reduce plus zero (map (force b) bodies)
         let vel = plus b.vel (scale dt acc)
         in b with vel = vel with pos = plus b.pos (scale dt vel))
      bodies

def main [n] (xs: [n]f64) (ys: [n]f64) (ms: [n]f64) (dt: f64) =
  let bodies = map3 (\x y mass -> {pos = {x, y}, vel = zero, mass}) xs ys ms
  let bodies = step dt bodies
  in (map (.pos.x) bodies, map (.pos.y) bodies)
