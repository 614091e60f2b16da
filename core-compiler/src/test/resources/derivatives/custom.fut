-- Derivatives of the program's own: rules that are wrong on purpose show where they are used. The
-- innermost derivative uses the rule if it is a reverse one; outer ones differentiate its code.
-- ==
-- entry: plain
-- input { 3f64 } output { 9f64 6f64 70f64 }
-- ==
-- entry: taped
-- input { 3f64 } output { 9f64 6f64 21f64 }
-- ==
-- entry: nested
-- input { 3f64 } output { 20f64 20f64 2f64 0f64 }
-- ==
-- entry: within
-- input { [1f64, 2f64, 3f64] } output { [10f64, 20f64, 30f64] [10f64, 20f64, 30f64] [6f64, 6f64, 6f64] }
-- ==
-- entry: free
-- input { 3f64 4f64 } output { 0f64 700f64 20f64 }
-- ==
-- entry: rows
-- input { [1f64, 2f64] } output { [[7f64, 0f64], [0f64, 7f64]] [7f64, 14f64] }
-- ==
-- entry: tuples
-- input { 2f64 5i64 } output { 30f64 0i64 10f64 }
-- ==
-- entry: loops
-- input { 2f64 } output { 1000f64 2744f64 }
-- ==
-- entry: unused
-- input { 2f64 } output { 1f64 }
-- ==
-- entry: inner
-- input { 2f64 } output { 70f64 70f64 }
-- ==
-- entry: saved
-- input { [1f64, 2f64, 3f64] } output { [6f64, 5f64, 4f64] }
-- ==
-- entry: updates
-- input { [1f64, 2f64, 3f64] } output { [10f64, 10f64, 3f64] }
-- ==
-- entry: clipped
-- input { [5f64, -3f64] } output { [1f64, -1f64] [10f64, -6f64] }

def ten (x: f64) = with_vjp (\y -> y * y) (\_ w -> 10 * w) x
entry plain (x: f64) = (ten x, jvp ten x 1, vjp (\y -> 7 * ten y) x 1)
def seven (x: f64) = with_vjp_tape (\y -> (y * y, y)) (\t w -> 7 * t * w) x
entry taped (x: f64) = (seven x, jvp seven x 1, vjp seven x 1)
-- the rule is linear in its weight only: the second derivative of ten is that of its rule
entry nested (x: f64) =
  let outer y = vjp (\z -> z * ten z) y 1
  -- z * ten z: ten z + z * 10, whose derivative is 2 z + 10 by code and 10 + 10 by the rule
  let code y = vjp (\z -> ten z) y 1
  in (vjp (\y -> vjp (\z -> z * 2 * ten y) y 1) x 1, vjp (\y -> 2 * jvp (\z -> z * y) y 1 |> \_ -> 2 * ten y) x 1,
      vjp (\y -> jvp (\z -> ten z) y 1) x 1, jvp code x 1 + 0 * outer x)
entry within [n] (xs: [n]f64) =
  let f (v: [n]f64) = f64.sum (map2 (\x i -> f64.i64 i * ten x) v (map (+ 1) (iota n)))
  let g (v: [n]f64) = loop s = 0 for i < n do s + f64.i64 (i + 1) * ten v[i]
  in (vjp f xs 1, vjp g xs 1, map (\x -> jvp (\y -> ten y) x (3 / x)) xs)
entry free (x: f64) (a: f64) =
  (vjp (\b -> with_vjp (\y -> y * b) (\_ w -> 10 * w) x) a 1,
   vjp (\y -> with_vjp (\y -> y * a) (\_ w -> 100 * w) (7 * y)) x 1,
   vjp (\b -> b * with_vjp (\y -> y + b) (\_ w -> b * w) b |> \r -> r + 0) a 1 - a - a + a)
entry rows (xs: [2]f64) =
  let f (v: [2]f64) = with_vjp (\v -> map (* 2) v) (\_ w -> map (* 7) w) v
  in (mjp f xs [[1, 0], [0, 1]], vjp f xs xs)
entry tuples (x: f64) (k: i64) =
  let f (p: (f64, i64)) = with_vjp (\(y, k) -> (y * f64.i64 k, k + 1)) (\(_, k') (w, _) -> (f64.i64 k' * w * 5, 0)) p
  in vjp (\p -> (f p).0) (x, k) 1 |> \(a, b) -> (a, b, (f (x, k)).0)
entry loops (x: f64) =
  (vjp (\y -> loop a = y for _i < 3 do ten a) x 1,
   vjp (\y -> loop a = y for _i < 3 do with_vjp_tape (\y -> (y, y)) (\t w -> 7 * t * w) a) x 1)
entry unused (x: f64) = vjp (\y -> let _ = ten y in y) x 1
-- a rule that calls a function with a rule, and takes derivatives
entry inner (x: f64) =
  let f y = with_vjp (\y -> 3 * ten y) (\_ w -> w * 7 * vjp ten y 1) y
  in (vjp f x 1, vjp (\y -> f y) x 1)
-- what the rule uses is as it was
entry saved [n] (xs: [n]f64) =
  vjp (\v -> loop s = 0 for i < n do (let c = f64.i64 (n - i + 2) + 0 * v[0] in s + with_vjp (\y -> y) (\_ w -> w * (c + 1)) v[i])) xs 1
entry updates [n] (xs: [n]f64) =
  vjp (\v -> let a = copy v let b = a with [0] = 2 let c = with_vjp (\(y: [n]f64) -> map (+ 1) y) (\_ w -> map (* 10) w) b
             let d = copy c with [2] = 3 * v[2] in f64.sum d + with_vjp (\y -> y) (\_ w -> w * 10) v[0]) xs 1
-- gradients clipped on the way back
entry clipped [n] (xs: [n]f64) =
  let clip x = with_vjp (\y -> y) (\_ w -> f64.max (-1) (f64.min 1 w)) x
  in (vjp (\v -> f64.sum (map (\x -> let y = clip x in y * y) v)) xs 1, vjp (\v -> f64.sum (map (\x -> x * x) v)) xs 1)
