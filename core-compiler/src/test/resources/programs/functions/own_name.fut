-- In its own definition a name still means what it means outside, if it means something there.
-- ==
-- entry: sum
-- input { 1f64 2f64 } output { 4f64 8f64 }
-- ==
-- entry: hidden
-- input { true 3 } output { false 3 }

type pair = {left: f64, right: f64}

def (+) (a: pair) (b: pair) : pair = {left = a.left + b.left, right = a.right + b.right}

def map (f: f64 -> f64) (p: pair) : pair =
  let both = map f [p.left, p.right]
  in {left = both[0], right = both[1]}

entry sum (x: f64) (y: f64) =
  let p = map (* 2) {left = x, right = y} + {left = 2 * x, right = 2 * y}
  in (p.left, p.right)

module hiding = {
  def not (x: bool) : bool = not x
}

entry hidden (b: bool) (x: i32) = (hiding.not b, opaque x)
