-- Derivatives within derivatives, operators, loops, modules and functions of all kinds.

-- ==
-- entry: orders2
-- input { 0.7f64 } output { [4.73338365029217f64, 4.73338365029217f64, 4.73338365029217f64, 4.73338365029217f64] }

-- ==
-- entry: orders3
-- input { 0.7f64 } output { [10.398976812253903f64, 10.398976812253904f64, 10.398976812253903f64, 10.398976812253903f64, 10.398976812253904f64, 10.398976812253904f64, 10.398976812253904f64, 10.398976812253904f64] }

-- ==
-- entry: orders4
-- input { 0.7f64 } output { [-2.1543786180723528f64, -2.154378618072352f64, -2.1543786180723528f64, -2.154378618072352f64, -2.154378618072352f64, -2.154378618072352f64, -2.1543786180723528f64, -2.154378618072352f64] }

-- ==
-- entry: perturbation
-- input { 0.7f64 } output { [2.9399999999999995f64, 2.9399999999999995f64, 1.0f64, 1.0f64, 0.0f64, 0.0f64] }

-- ==
-- entry: free
-- input { 0.7f64 } output { [0.9799999999999999f64, 0.9799999999999999f64, 0.48999999999999994f64, 0.48999999999999994f64, 1.4699999999999998f64, 2.8f64, 2.9399999999999995f64] }

-- ==
-- entry: in_operators
-- input { 0.7f64 } output { [2.4f64, 5.800000000000001f64, 23.519999999999996f64, 23.519999999999996f64] }

-- ==
-- entry: in_loops
-- input { 0.7f64 } output { [1011.9696383999993f64, 10.975999999999997f64, 0.38348216784817246f64] }

-- ==
-- entry: inner_jvp_map
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] } output { [8.26f64, 1.08f64, -0.48f64, 2.04f64] }
-- input { [0.3f64] } output { [0.5399999999999999f64] }

-- ==
-- entry: inner_vjp_map
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] } output { [-0.03158999999999999f64, 0.15309000000000017f64, 0.17792000000000002f64, 10.071649999999996f64] }
-- input { [0.3f64] } output { [1.0f64] }

-- ==
-- entry: reduce_with_vjp
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] } output { [-0.6120000000000001f64, -0.20400000000000001f64, 0.459f64, -0.10800000000000001f64] }
-- input { [0.3f64] } output { [1.0f64] }

-- ==
-- entry: scan_with_vjp
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] } output { [5.756f64, 3.7720000000000002f64, 4.752375f64, 1.334f64] }
-- input { [0.3f64] } output { [1.0f64] }

-- ==
-- entry: hist_with_vjp
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] } output { [1.2f64, 16.200000000000003f64, 2.6f64, 11.4f64] }
-- input { [0.3f64] } output { [2.0f64] }

-- ==
-- entry: loop_with_vjp
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] } output { [-1.3702130732711966f64, 0.6149588194114339f64, 1.2410945607532666f64, 0.39814339185171044f64] }
-- input { [0.3f64] } output { [0.7776765579751443f64] }

-- ==
-- entry: while_with_vjp
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] } output { [39.303999999999995f64, 1.0f64, 1.0f64, 21.808f64] }
-- input { [0.3f64] } output { [0.22394879999999998f64] }

-- ==
-- entry: hessians
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] } output { [[0.0f64, -0.7600000000000001f64, 3.96f64, -0.7200000000000001f64], [-0.7600000000000001f64, 0.0f64, 1.32f64, -0.24f64], [3.96f64, 1.32f64, 0.0f64, 0.54f64], [-0.7200000000000001f64, -0.24f64, 0.54f64, 2.0f64]] [[0.0f64, -0.7600000000000001f64, 3.96f64, -0.7200000000000001f64], [-0.7600000000000001f64, 0.0f64, 1.32f64, -0.24f64], [3.96f64, 1.32f64, 0.0f64, 0.54f64], [-0.7200000000000001f64, -0.24f64, 0.54f64, 2.0f64]] [[0.0f64, -0.7600000000000001f64, 3.96f64, -0.7200000000000001f64], [-0.7600000000000001f64, 0.0f64, 1.32f64, -0.24f64], [3.96f64, 1.32f64, 0.0f64, 0.54f64], [-0.7200000000000001f64, -0.24f64, 0.54f64, 2.0f64]] [[0.0f64, -0.7600000000000001f64, 3.96f64, -0.7200000000000001f64], [-0.7600000000000001f64, 0.0f64, 1.32f64, -0.24f64], [3.96f64, 1.32f64, 0.0f64, 0.54f64], [-0.7200000000000001f64, -0.24f64, 0.54f64, 2.0f64]] [[0.0f64, -0.7600000000000001f64, 3.96f64, -0.7200000000000001f64], [-0.7600000000000001f64, -0.0f64, 1.32f64, -0.24f64], [3.96f64, 1.32f64, 0.0f64, 0.54f64], [-0.7200000000000001f64, -0.24f64, 0.54f64, 2.0f64]] }
-- input { [0.3f64] } output { [[2.0f64]] [[2.0f64]] [[2.0f64]] [[2.0f64]] [[2.0f64]] }

-- ==
-- entry: third
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] } output { [[[0.0f64, 0.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 4.4f64, -0.8f64], [0.0f64, 4.4f64, 0.0f64, 1.8f64], [0.0f64, -0.8f64, 1.8f64, 0.0f64]], [[0.0f64, 0.0f64, 4.4f64, -0.8f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [4.4f64, 0.0f64, 0.0f64, 0.6f64], [-0.8f64, 0.0f64, 0.6f64, 0.0f64]], [[0.0f64, 4.4f64, 0.0f64, 1.8f64], [4.4f64, 0.0f64, 0.0f64, 0.6f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [1.8f64, 0.6f64, 0.0f64, 0.0f64]], [[0.0f64, -0.8f64, 1.8f64, 0.0f64], [-0.8f64, 0.0f64, 0.6f64, 0.0f64], [1.8f64, 0.6f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64]]] }
-- input { [0.3f64] } output { [[[0.0f64]]] }

-- ==
-- entry: higher
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] 2i64 } output { [3.574075110470509f64, 3.0196357724528475f64, 11.690169143468632f64, 15.725704030801412f64] }

-- ==
-- entry: poly
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] 2i64 } output { [0.6f64, 1.8f64, -0.8f64, 3.4f64] [[-0.6120000000000001f64, -0.20400000000000001f64, 0.459f64, -0.10800000000000001f64], [1.0f64, 1.0f64, 1.0f64, 1.0f64]] }

-- ==
-- entry: modules
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] 2i64 } output { [-2.73f64, -0.5699999999999998f64, -2.5199999999999996f64, 5.669999999999999f64] -2.73f64 }

-- ==
-- entry: structs
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] 2i64 } output { [7.514873718708234f64, 2.359448971443598f64, 0.305273192803462f64, 3.2067332585567128f64] [0.6f64, 1.8f64, -0.8f64, 3.4f64] [0.5821211533990214f64, 0.9698099001086827f64, -0.11310004410778501f64, 0.9530114621638112f64] [0i32, 0i32, 0i32, 0i32] }

-- ==
-- entry: sums
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] 2i64 } output { [1.6f64, 0.0f64, 0.19999999999999996f64, 0.0f64] [[3.5999999999999996f64, 0.0f64], [3.8f64, 1.8f64], [0.0f64, 0.0f64], [0.0f64, 0.0f64]] }

-- ==
-- entry: results
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] 2i64 } output { [5.0f64, 5.0f64, 5.0f64, 5.0f64] 63.5f64 [5.0f64, 5.0f64, 5.0f64, 5.0f64] 63.5f64 [3.3f64, 3.9f64, 2.6f64, 4.7f64] 0.0f64 4.0f64 [1.0f64, 6.0f64] 0i64 }

-- ==
-- entry: unique
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] 2i64 } output { [2.7f64, 1.9f64, 0.0f64, 1.0f64] [2.4f64, 1.0f64, 1.2f64, 1.0f64] }

-- ==
-- entry: consume
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] 2i64 } output { [0.7483407796811309f64, 0.2779633726758024f64, -0.7794936191655456f64, -0.2555411020268312f64] [0.9320390859672263f64, -0.46765926339706837f64, -0.2175692893787702f64, -0.2555411020268312f64] }

-- ==
-- entry: records
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64] 2i64 } output { -0.4f64 [0.0f64, 0.0f64, 2.0f64, 0.0f64] false 1.0f64 0i8 }

-- ==
-- entry: halves
-- input { 1.5f64 } output { 6.8203125f16 6.8203125f16 20.5f16 }

-- ==
-- entry: singles
-- input { 1.5f64 } output { 6.8207374f32 6.8207374f32 13.5f32 8.002505f32 }

-- ==
-- entry: doubles
-- input { 1.5f64 } output { 2.25f32 2.25f64 2.25f16 }

-- ==
-- entry: mixed
-- input { 1.5f64 } output { 7.0f64 2.5f32 1i32 3.0f64 3.0f64 }

-- ==
-- entry: twos
-- input { [0.5f64, 2f64, 1.5f64] } output { 8.5f64 [18.0f64, 12.0f64, 4.0f64] 8.5f64 13.0f64 }

-- ==
-- entry: vectors2
-- input { [0.5f64, 2f64, 1.5f64] } output { [0.5f64, 1.0f64, 1.5f64] [[1.0f64, 0.0f64, 0.0f64], [3.0f64, 0.75f64, 1.0f64]] [0.5f64, 1.0f64, 1.5f64] [[1.0f64, 2.0f64, 3.0f64], [0.0f64, 0.0f64, 1.0f64]] empty([0][3]f64) empty([0]f64) }

-- ==
-- entry: unrolled
-- input { [0.5f64, 2f64, 1.5f64] } output { [[1.0f64, 0.0f64, 0.0f64], [3.0f64, 0.75f64, 1.0f64]] [9.0f64, 2.0f64] }

-- ==
-- entry: none
-- input { [0.5f64, 2f64, 1.5f64] } output { [0.0f64, 0.0f64, 0.0f64] [0.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] 0.0f64 }


def f (x: f64) : f64 = x * x * x * f64.sin x
def j (g: f64 -> f64) (x: f64) : f64 = jvp g x 1
def v (g: f64 -> f64) (x: f64) : f64 = vjp g x 1
entry orders2 (x: f64) = [j (j f) x, j (v f) x, v (j f) x, v (v f) x]
entry orders3 (x: f64) =
  [j (j (j f)) x, j (j (v f)) x, j (v (j f)) x, j (v (v f)) x, v (j (j f)) x, v (j (v f)) x, v (v (j f)) x, v (v (v f)) x]
entry orders4 (x: f64) =
  [j (j (j (j f))) x, v (v (v (v f))) x, j (v (j (v f))) x, v (j (v (j f))) x, j (j (v (v f))) x, v (v (j (j f))) x, j (v (v (j f))) x, v (j (j (v f))) x]
entry perturbation (x: f64) =
  [j (\y -> y * j (\z -> y * z * z) y) x, v (\y -> y * v (\z -> y * z * z) y) x, j (\y -> y * v (\z -> y + z) 1) x,
   v (\y -> j (\z -> y * z) (j (\w -> w * y) y)) x, j (\y -> j (\_ -> y) 1) x, v (\y -> v (\_ -> y) 1) x]
-- free variables are constants
entry free (x: f64) =
  let g a = \b -> a * b * b
  in [j (g x) x, v (g x) x, j (\a -> g a x) x, v (\a -> g a x) x, j (\a -> g a a) x, v (\a -> v (g a) a) x, v (\a -> j (g a) (a * a)) x]
entry in_operators (x: f64) =
  [v (\y -> reduce (\a b -> a + b + v (\c -> c * c * y) 0 ) 0 [y, y * y, 2]) x,
   v (\y -> f64.sum (scan (\a b -> a + b + 0 * v (\c -> c * a) b) 0 [y, y * y, 2])) x,
   v (\y -> foldl (\a b -> v (\c -> c * c * a) b) 1 [y, y * y, 2]) x,
   j (\y -> foldr (\a b -> v (\c -> c * c * a) b) 1 [y, y * y, 2]) x]
entry in_loops (x: f64) =
  [v (\y -> loop a = y for i < 3 do v (\z -> z * z * a * f64.i64 (i + 1)) a) x,
   v (\y -> (loop (a, i) = (y, 0) while i < 3 do (j (\z -> z * z * a) y, i + 1)).0) x,
   v (\y -> loop a = y for _i < 4 do a - (a * a - y - 1) / j (\z -> z * z) a) x]

entry inner_jvp_map [n] (xs: [n]f64) = vjp (\ys -> f64.sum (map (\y -> jvp (\z -> z * z * ys[0]) y y) ys)) xs 1
entry inner_vjp_map [n] (xs: [n]f64) = jvp (\ys -> map (\y -> vjp (\zs -> f64.product (map (* y) zs)) ys 1 |> f64.sum) ys) xs (replicate n 1)
entry reduce_with_vjp [n] (xs: [n]f64) =
  vjp (\ys -> reduce (\a b -> vjp (\(p, q) -> p * q) (a, b) 1 |> \(b, a) -> a * b) 1 ys) xs 1
entry scan_with_vjp [n] (xs: [n]f64) =
  vjp (\ys -> scan (\a b -> a + b + 0.5 * jvp (\c -> c * a) b b) 0 ys) xs (replicate n 1)
entry hist_with_vjp [n] (xs: [n]f64) =
  vjp (\ys -> reduce_by_index [1, 2] (\a b -> a + b + jvp (\c -> c * a) 3 b) 0 (map (% 2) (iota n)) ys) xs [1, 2]
entry loop_with_vjp [n] (xs: [n]f64) =
  vjp (\ys -> loop zs = ys for _i < 3 do map2 (\z g -> z - 0.1 * g) zs (vjp (\ws -> f64.sum (map (\w -> w * w * w) ws)) zs ys[0])) xs (replicate n 1)
entry while_with_vjp [n] (xs: [n]f64) =
  vjp (\ys -> (loop (zs, i) = (copy ys, 0) while i < 3 do (let zs[0] = vjp (\w -> w * w * zs[n - 1]) zs[0] 1 in zs, i + 1)).0) xs (replicate n 1)
def cost [n] (xs: [n]f64) : f64 = f64.product xs + f64.sum (scan (*) 1 xs) + f64.maximum xs ** 2
def units (n: i64) : [n][n]f64 = tabulate_2d n n (\i j -> f64.bool (i == j))
entry hessians [n] (xs: [n]f64) =
  let g = \(ys: [n]f64) -> vjp cost ys 1
  in (jmp g xs (units n), mjp g xs (units n), map (\u -> jvp g xs u) (units n), map (\u -> vjp g xs u) (units n),
      map (\u -> vjp (\ys -> jvp cost ys u) xs 1) (units n))
entry third [n] (xs: [n]f64) =
  map (\u -> jmp (\ys -> jvp (\zs -> vjp cost zs 1) ys u) xs (units n)) (units n)

def twice 'a (g: a -> a) : a -> a = g >-> g
entry higher [n] (xs: [n]f64) (_k: i64) =
  let apply_all [m] (gs: f64 -> i64 -> f64) (ys: [m]f64) = map2 gs ys (iota m)
  in vjp (twice (apply_all (\y i -> y * f64.i64 (i + 1) + f64.sin y))) xs (replicate n 1)
def norm 'a [n] (add: a -> a -> a) (zero: a) (g: a -> a) (ys: [n]a) : a = reduce add zero (map g ys)
entry poly [n] (xs: [n]f64) (k: i64) =
  (vjp (norm (+) 0 (** 2)) xs 1, (vjp (norm (\(a, b) (c, d) -> (a + c, b * d)) (0, 1) (\(a, b) -> (b, a))) (map (\x -> (x, f64.i64 k)) xs) (1, 1)) |> unzip |> \(a, b) -> [a, b])
module type num = { type t val mul : t -> t -> t val one : t val of_f64 : f64 -> t val to_f64 : t -> f64 }
module complex = { type t = (f64, f64) def mul (a: t) (b: t) : t = (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0) def one : t = (1, 0) def of_f64 (x: f64) : t = (x, 1) def to_f64 (x: t) : f64 = x.0 }
module power (n: num) = { def pow (x: f64) (k: i64) : f64 = n.to_f64 (loop a = n.one for _i < k do n.mul a (n.of_f64 x)) }
module cpow = power complex
entry modules [n] (xs: [n]f64) (k: i64) = (vjp (\ys -> map (\y -> cpow.pow y (k + 1)) ys) xs (replicate n 1), jvp (\y -> cpow.pow y 3) xs[0] 1)
type point = {x: f64, y: f64, id: i32}
entry structs [n] (xs: [n]f64) (k: i64) =
  let g (ys: [n]f64) : [n]point = map2 (\y i -> {x = y * y, y = f64.sin y * ys[0], id = i32.i64 i}) ys (iota n)
  let t = jvp g xs (replicate n 1)
  in (vjp g xs (map (\i -> {x = 1, y = f64.i64 (i + k), id = 7i32}) (iota n)), map (.x) t, map (.y) t, map (.id) t)
type shape = #circle {r: f64} | #box f64 f64 | #label i32 | #none
def area (s: shape) : f64 = match s case #circle c -> 3 * c.r ** 2 case #box a b -> a * b case #label _ -> 1 case #none -> 0
entry sums [n] (xs: [n]f64) (k: i64) =
  let mk (y: f64) (i: i64) : shape = if i == 0 then #circle {r = y} else if i == 1 then #box y (y + 1) else if i == 2 then #label 3 else #none
  let back = vjp (\(s: [n]shape) -> f64.sum (map area s)) (map2 mk xs (iota n)) 2
  in (vjp (\ys -> map2 (\y i -> area (mk y (i % k + k - 1))) ys (iota n)) xs (replicate n 1),
      map (\s -> match s case #circle c -> [c.r, 0] case #box a b -> [a, b] case #label _ -> [-1, -1] case #none -> [-2, -2]) back)
entry results [n] (xs: [n]f64) (k: i64) =
  let g (a: [n]f64, b: f64) = ((map (* b) a, f64.i64 k), {s = f64.sum a, t = [b, b * b]}, k)
  let ((a, b), (c, d)) = (vjp g (xs, 3) ((replicate n 1, 5), {s = 2, t = [1, 10]}, 0), (vjp2 g (xs, 3) ((replicate n 1, 5), {s = 2, t = [1, 10]}, 0)).1)
  let ((p, q), r, s) = jvp g (xs, 3) (replicate n 1, 1)
  in (a, b, c, d, p, q, r.s, r.t, s)
entry unique [n] (xs: [n]f64) (k: i64) =
  let g (ys: *[n]f64) : *[n]f64 = let ys[k] = ys[0] * ys[1] let ys[0] = ys[k] * 2 in ys
  in (vjp (\ys -> g (copy ys)) xs (replicate n 1), jvp (\ys -> g (copy ys)) xs (replicate n 1))
entry consume [n] (xs: [n]f64) (k: i64) =
  let g (ys: [n]f64) = let zs = map f64.sin ys let a = zs[k] let zs[k] = a * a let ws = copy zs let ws[0:2] = zs[1:3] in map2 (*) zs ws
  in (vjp g xs (replicate n 1), jvp g xs (replicate n 1))
entry records [n] (xs: [n]f64) (k: i64) =
  let r = vjp (\r -> r.a * r.b[k] + (r.c).1) {a = 2f64, b = xs, c = (true, 3f32, 4i8) |> \(p, q, s) -> (p, f64.f32 q, s)} 1
  in (r.a, r.b, r.c.0, r.c.1, r.c.2)

entry halves (x: f64) = let y = f16.f64 x let g (z: f16) = z ** 3 + f16.sin z in (jvp g y 1, vjp g y 1, vjp (\z -> f16.sum (scan (*) 1 [z, z * 2, z])) y 1)
entry singles (x: f64) = let y = f32.f64 x let g (z: f32) = z ** 3 + f32.sin z in (jvp g y 1, vjp g y 1, vjp (\z -> f32.product [z, z * 2, z]) y 1, jvp (\z -> vjp g z 1) y 1)
entry doubles (x: f64) = vjp (\(a, b, c) -> f64.f32 a * b * f64.f16 c) (f32.f64 x, x, f16.f64 x) 1
entry mixed (x: f64) = (vjp (\y -> f64.i32 (i32.f64 (y * 3)) * y) x 1, jvp (\y -> f32.f64 y * f32.i64 (i64.f64 y)) x 1, vjp (\(k: i32, y) -> f64.i32 k * y) (3, x) 1, vjp (\y -> (3i32, y * y)) x (5, 1))

entry twos (xs: [3]f64) = (vjp2 cost xs 2, jvp2 cost xs [1, 0, 2])
entry vectors2 (xs: [3]f64) = (mjp2 (scan (*) 1) xs [[1, 0, 0], [0, 0, 1]], jmp2 (scan (*) 1) xs [[1, 0, 0], [0, 0, 1]], mjp (map (** 2)) xs [], jmp f64.sum xs (replicate 0 xs))
entry unrolled (xs: [3]f64) = (#[unroll] mjp (scan (*) 1) xs [[1, 0, 0], [0, 0, 1]], #[unroll] jmp cost xs [[1, 0, 0], [0, 0, 1]])
entry none (xs: [3]f64) = (vjp (\(_: [3]f64) -> 1f64) xs 1, jvp (\(_: [3]f64) -> [1f64]) xs xs, vjp (\ys -> ys) xs [1, 2, 3], vjp (\(_: [3]f64) -> ()) xs (), jvp (\() -> 2f64) () ())
