-- A loop whose result is a variable from outside it.
-- ==
-- entry: a
-- input { 2f64 } output { 1f64 }
entry a (x: f64) = vjp (\v0 -> loop v1 = 5.5f64 for step2 < 3i32 do v0) x 1
-- ==
-- entry: b
-- input { 2f64 } output { 1f64 }
entry b (x: f64) = vjp (\v0 -> loop v1 = 5.5f64 for step2 < 3i32 do v0) x 1
-- ==
-- entry: d
-- input { 2f64 } output { 0f64 }
entry d (x: f64) = jvp (\(v4: f64) : f64 -> if true then 7.5f64 else 1.5f64) 2.5f64 1
-- ==
-- entry: c
-- input { [1f64] } output { 1f64 }
entry c [n] (ys: [n]f64) : f64 =
  (vjp (\(v0: f64) : f64 -> (loop v1 : f64 = (f64.sin 5.5f64) for step2 < 3i32 do (let v3 : {a: i32, b: [n]f64} = {a = 1i32, b = ys} in v0))) (jvp (\(v4: f64) : f64 -> (if true then 7.5f64 else 1.5f64)) 2.5f64 1) 1)
