-- Types with parameters, and types that hide sizes.
-- ==
-- entry: square
-- input { 2i64 } output { [[0f64, 1f64], [1f64, 2f64]] }

-- ==
-- entry: pair_of
-- input { 1i32 } output { 1i32 1i32 }

-- ==
-- entry: hidden
-- input { 3i64 } output { 3i64 }

-- ==
-- entry: stack
-- input { 3i32 } output { 3i32 6i32 }

type mat [n] = [n][n]f64
type both 'a = (a, a)
type~ words = {n: i64, data: []i64}
type stack [n] 'a = {size: i64, data: [n]a}

def eye_like (n: i64) : mat [n] = tabulate_2d n n (\i j -> f64.i64 (i + j))
entry square (n: i64) = eye_like n
entry pair_of (x: i32) : both i32 = (x, x)

def make (n: i64) : words = {n, data = iota n}
entry hidden (n: i64) =
  let w = make n
  in length w.data

def empty 'a (n: i64) (x: a) : stack [n] a = {size = 0, data = replicate n x}
def push [n] 'a (x: a) (s: stack [n] a) : stack [n] a =
  s with data = (copy s.data with [s.size] = x) with size = s.size + 1
entry stack (x: i32) =
  let s = empty 10 0 |> push x |> push (2 * x)
  in (s.data[0], s.data[1])
