-- Derivatives by and of values of all types.
-- ==
-- entry: halves
-- input { 3f16 } output { 27f16 27f16 }

-- ==
-- entry: singles
-- input { [1f32, 2f32, 3f32] } output { [6f32, 3f32, 2f32] [6f32, 3f32, 2f32] }

-- ==
-- entry: mixed
-- input { 3f32 2f64 4f16 5i32 true } output { 40f32 60f64 30f16 24i32 false }

-- ==
-- entry: mixed_fwd
-- input { 3f32 2f64 4f16 5i32 true } output { 60f64 }

-- ==
-- entry: conv
-- input { 3f32 } output { 12f32 12f32 }

-- ==
-- entry: inactive
-- input { 3f64 } output { 1f64 1i32 false 0f64 }

-- ==
-- entry: noargs
-- input { 3f64 } output { 0f64 }

-- ==
-- entry: bits
-- input { 3f32 } output { 1065353216u32 0f32 1f32 1f32 }

-- ==
-- entry: both
-- input { 3f64 2f64 } output { 6f64 2f64 3f64 6f64 5f64 }

-- ==
-- entry: nestedrec
-- input { [1f64, 2f64] 3f64 } output { [3f64, 3f64] 3f64 0i64 }

-- ==
-- entry: arrs
-- input { [[1f64,2f64],[3f64,4f64]] [1i64, 0i64] } output { [[1f64,0f64],[0f64,1f64]] [0i64, 0i64] }

-- ==
-- entry: vecs
-- input { 2f64 3f64 } output { 6f64 [3f64, 2f64, 5f64] }

-- ==
-- entry: vecs2
-- input { [2f64, 3f64] } output { [4f64, 9f64] [[4f64, 0f64], [0f64, 6f64]] }

-- ==
-- entry: vecunroll
-- input { [2f64, 3f64] } output { [[4f64, 0f64], [0f64, 6f64]] [[4f64, 0f64], [0f64, 6f64]] }

-- ==
-- entry: perturb
-- input { 3f64 } output { 1f64 1f64 }

-- ==
-- entry: fn_result
-- input { 3f64 } output { 6f64 }

-- ==
-- entry: empty
-- input { empty([0]f64) } output { empty([0]f64) 0f64 empty([0]f64) }

def f3 (x: f16) = x ** 3
entry halves (x: f16) = (jvp f3 x 1, vjp f3 x 1)
entry singles [n] (xs: [n]f32) = (vjp f32.product xs 1, tabulate n (\i -> jvp f32.product xs (tabulate n (\j -> if i == j then 1 else 0))))
def g (a: f32, b: f64, c: f16, k: i32, q: bool) : f64 = if q then f64.f32 a * b * f64.f16 c * f64.i32 k else 0
entry mixed (a: f32) (b: f64) (c: f16) (k: i32) (q: bool) = vjp g (a, b, c, k, q) 1
entry mixed_fwd (a: f32) (b: f64) (c: f16) (k: i32) (q: bool) = jvp g (a, b, c, k, q) (0, 1, 0, 0, false)
entry conv (x: f32) = let h (x: f32) = f32.f64 (f64.f32 x * f64.f32 x * 2) in (vjp h x 1, jvp h x 1)
entry inactive (x: f64) = (vjp (\(y: f64) -> i32.f64 y) x 1, jvp (\(y: f64) -> i32.f64 y) x 1, jvp (\(y: f64) -> y > 2) x 1, vjp (\(y: f64) -> y > 2) x true)
entry noargs (x: f64) = vjp (\(_: f64) -> 5f64) x 1
entry bits (x: f32) = (jvp f32.to_bits x 1, vjp f32.to_bits x 1, jvp (\y -> f32.from_bits (f32.to_bits x) * 0 + y) x 1, vjp (\y -> f32.from_bits (f32.to_bits x) * 0 + y) x 1)
entry both (x: f64) (y: f64) = let (r, (a, b)) = vjp2 (\(a, b) -> a * b) (x, y) 1 let (s, t) = jvp2 (\(a, b) -> a * b) (x, y) (1, 1) in (r, a, b, s, t)
entry nestedrec (xs: []f64) (y: f64) = let r = vjp (\(r: {p: {xs: []f64, k: i64}, y: f64}) -> f64.sum r.p.xs * r.y) {p = {xs, k = 3}, y} 1 in (r.p.xs, r.y, r.p.k)
entry arrs (m: [2][2]f64) (is: [2]i64) = vjp (\(m, is: [2]i64) -> map2 (\r i -> r[1 - i]) m is) (m, is) [1, 1]
entry vecs (x: f64) (y: f64) = jmp2 (\(a, b) -> a * b) (x, y) [(1, 0), (0, 1), (1, 1)]
entry vecs2 [n] (xs: [n]f64) = mjp2 (map (** 2)) xs (tabulate_2d n n (\i j -> f64.bool (i == j)))
entry vecunroll (xs: [2]f64) = (#[unroll] mjp (map (** 2)) xs [[1, 0], [0, 1]], #[unroll] jmp (map (** 2)) xs [[1, 0], [0, 1]])
entry perturb (x: f64) = (jvp (\x -> x * jvp (\y -> x + y) 1 1) x 1, vjp (\x -> x * vjp (\y -> x + y) 1 1) x 1)
entry fn_result (x: f64) = let d f = \y -> vjp f y 1 in d (\y -> y * y) x
entry empty (xs: []f64) = (vjp f64.sum xs 1, jvp f64.product xs xs, vjp f64.minimum xs 1)
