-- Derivatives through the vector of a model's components: the full Jacobian by the vector modes,
-- forward and reverse, and by central differences; and that of the gradient.
-- ==
-- entry: record elements sums nested rows single
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64] } output { true true true }

import "kenaz/vector"

def onehot (n: i64) (i: i64) : [n]f64 = tabulate n (\j -> if i == j then 1 else 0)
def fwd [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 = jmp f x (tabulate n (onehot n))
def rev [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 = transpose (mjp f x (tabulate m (onehot m)))
def nudged [n] (x: [n]f64) (i: i64) (e: f64) : [n]f64 = map2 (\y d -> y + e * d) x (onehot n i)
def diff [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 =
  tabulate n (\i -> map2 (\a b -> (a - b) / 2e-6) (f (nudged x i 1e-6)) (f (nudged x i (-1e-6))))
def close (e: f64) (x: f64) (y: f64) : bool = f64.abs (x - y) <= e * (1 + f64.abs x)
def same [n] [m] (e: f64) (a: [n][m]f64) (b: [n][m]f64) : bool = and (map2 (\r s -> and (map2 (close e) r s)) a b)
def grad [n] (m: i64) (f: [n]f64 -> [m]f64) (y: [n]f64) : [n]f64 = vjp f y (tabulate m (\i -> 1.5 + f64.i64 i))
def agree [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : (bool, bool, bool) =
  let j = fwd m f x
  in (same 1e-9 j (rev m f x), same 1e-4 j (diff m f x), same 1e-9 (fwd n (grad m f) x) (rev n (grad m f) x))

def weighted [k] (xs: [k]f64) : f64 = f64.sum (map2 (\x i -> x * x * (1 + f64.i64 i)) xs (iota k))

-- A record with parts of its own: back, and there again.
entry record [n] (xs: [n]f64) =
  let like = { w = [[0f64, 1], [2, 3]], k = n, b = 0f64, c = 1f64 }
  in agree 3 (\xs ->
                let m = unpack_f64 like (xs :> [6]f64)
                let m = m with w = map (map (* m.b)) m.w with c = f64.sin m.c
                in [weighted (pack_f64 m), m.w[1, 0] * m.b, m.c * f64.i64 m.k]) xs

entry elements [n] (xs: [n]f64) =
  agree 2 (\xs ->
             let ms = unpack_f64 (map (\i -> { t = (0f64, i), u = [1f64] }) (iota 3)) (xs :> [6]f64)
             let f m = m.t.0 ** 2 * m.u[0] + f64.i64 m.t.1 * m.u[0]
             in [f64.sum (map f ms), weighted (pack_f64 (map (\m -> m with u = map f64.exp m.u) ms))]) xs

-- What a constructor doesn't need has no influence.
type s = #a f64 [2]f64 | #b f64 | #c

entry sums [n] (xs: [n]f64) =
  let like : [2]s = [#b 1, #a 2 [3, 4]]
  in agree 2 (\xs ->
                let f (x: s) = match x case #a y z -> y * weighted z case #b y -> y ** 3 case #c -> 7
                let ms = unpack_f64 like (xs :> [6]f64)
                in [f64.sum (map f ms), weighted (pack_f64 ms)]) xs

-- A derivative by the model inside of one by the vector.
entry nested [n] (xs: [n]f64) =
  let like = (0f64, replicate 5 1f64)
  in agree 6 (\xs ->
                let g = vjp (\(a, bs) -> f64.sin a * weighted bs) (unpack_f64 like (xs :> [6]f64)) 1
                in pack_f64 g :> [6]f64) xs

-- Inside of a map over rows, and with vectors of them.
entry rows [n] (xs: [n]f64) =
  agree 3 (\xs ->
             map (\i ->
                    let m = unpack_f64 { a = replicate 5 0f64, b = 0f64 } (xs :> [6]f64)
                    let v = pack_f64 (m with b = m.b * f64.i64 (i + 1))
                    in weighted v * m.a[i]) (iota 3)) xs

-- Rounding has a derivative, that of the exact number.
entry single [n] (xs: [n]f64) =
  let modes [k] (e: f64) (f: [n]f64 -> [k]f64) (x: [n]f64) =
    same e (fwd k f x) (rev k f x)
  in ( modes 1e-9 (\xs -> map f64.f32 (pack_f32 (unpack_f64 (replicate n 1f32, ()) xs) :> [n]f32)) xs
     , same 1e-9 (rev n (\xs -> pack_f64 (unpack_f64 (replicate n 1f32) xs) :> [n]f64) xs) (tabulate n (onehot n))
     , modes 1e-2 (\xs -> [weighted (pack_f64 (unpack_f32 (0f16, [0f64, 1]) (map f32.f64 (take 3 xs))))]) xs )
