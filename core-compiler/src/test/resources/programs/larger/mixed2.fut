-- ==
-- entry: c1
-- input { 3i64 } output { [0i64, 1i64, 2i64] [0i64,1i64] }
def apply (f: (n: i64) -> [n]i64) (k: i64) : [k]i64 = f k
entry c1 (n: i64) = (apply iota n, apply (\m -> iota m) (n - 1))
-- ==
-- entry: c2
-- input { [1i32, -2i32, 3i32] } output { [1i32, 3i32] }
def only (p: i32 -> bool) : ([]i32 -> []i32) = \xs -> filter p xs
entry c2 (xs: []i32) = (only (> 0)) xs
-- ==
-- entry: c3
-- input { [1i32, 2i32, 3i32, 4i32] } output { [4i32, 3i32, 2i32, 1i32] 4i64 }
module type container = {
  type~ c 'a
  val from 'a [n] : [n]a -> c a
  val size 'a : c a -> i64
  val to 'a : c a -> []a
}
module list : container = {
  type~ c 'a = []a
  def from 'a [n] (xs: [n]a) : c a = reverse xs
  def size 'a (xs: c a) = length xs
  def to 'a (xs: c a) : []a = xs
}
entry c3 (xs: []i32) = let l = list.from xs in (list.to l, list.size l)
-- ==
-- entry: c4
-- input { 4i64 } output { 4i64 [0i64, 2i64] }
type~ dyn = {k: i64, xs: []i64}
def mkdyn (n: i64) : dyn = {k = n, xs = filter (\x -> x % 2 == 0) (iota n)}
entry c4 (n: i64) = let d = mkdyn n in (d.k, d.xs)
-- ==
-- entry: c5
-- input { true 2i64 } output { [0i64, 1i64] }
-- input { false 2i64 } output { [0i64, 1i64, 2i64, 3i64] }
type~ opt_arr = #small ([]i64) | #big ([]i64)
def pick_arr (b: bool) (n: i64) : opt_arr = if b then #small (iota n) else #big (iota (2 * n))
entry c5 (b: bool) (n: i64) = match pick_arr b n case #small xs -> xs case #big ys -> ys
-- ==
-- entry: c6
-- input { 5i64 } output { [1i64, 1i64, 2i64, 3i64, 5i64] }
entry c6 (n: i64) =
  let (xs, _, _) = loop (xs, a, b) = ([]: []i64, 1, 1) for _i < n do (xs ++ [a], b, a + b)
  in xs
-- ==
-- entry: c7
-- input { [[1i32,2i32,3i32],[4i32,5i32,6i32]] } output { [[3i32,2i32,1i32],[6i32,5i32,4i32]] [[4i32,5i32,6i32],[1i32,2i32,3i32]] }
entry c7 (xss: [][]i32) = (map reverse xss, reverse xss)
-- ==
-- entry: c8
-- input { [1i32,2i32,3i32,4i32] } output { [[1i32,2i32],[3i32,4i32]] [[1i32],[2i32],[3i32],[4i32]] }
def chunk [n] 'a (k: i64) (xs: [n]a) : [][k]a =
  let m = n / k in unflatten (take (m * k) xs)
entry c8 (xs: []i32) = (chunk 2 xs, chunk 1 xs)
-- ==
-- entry: c9
-- input { [1f64, 2f64, 3f64] } output { [[1f64, 2f64, 3f64], [2f64, 4f64, 6f64], [3f64, 6f64, 9f64]] }
entry c9 [n] (xs: [n]f64) : [n][n]f64 = map (\x -> map (*x) xs) xs
-- ==
-- entry: c10
-- input { 3i64 } output { [6i64, 6i64, 6i64] }
entry c10 (n: i64) = let f [m] (xs: [m]i64) = replicate m (m * 2) in f (iota n)
-- ==
-- entry: c11
-- input { [0i64, 2i64] } output { [5i32, 0i32, 5i32] }
entry c11 [n] (is: [n]i64) = loop xs = replicate 3 0i32 for i in is do xs with [i] = 5
-- ==
-- entry: c12
-- input { 2i64 } output { [[[0i64, 1i64], [2i64, 3i64]], [[4i64, 5i64], [6i64, 7i64]]] }
entry c12 (n: i64) : [n][n][n]i64 = unflatten_3d (iota (n * n * n))
-- ==
-- entry: c13
-- input { [3i32, 1i32] } output { [3i32, 1i32, 0i32] [0i32, 3i32, 1i32] }
entry c13 [n] (xs: [n]i32) : ([n+1]i32, [1+n]i32) = (xs ++ [0], [0] ++ xs)
-- ==
-- entry: c14
-- input { 4i64 } output { 6i64 }
entry c14 (n: i64) = #[sequential] reduce (+) 0 (#[trace] iota n)
-- ==
-- entry: c16
-- input { [1i64, 2i64, 3i64, 4i64] } output { [1i64, 2i64] [3i64, 4i64] }
entry c16 [n] (xs: [n]i64) : ?[a][b].([a]i64, [b]i64) =
  let m = n / 2 in (xs[:m], xs[m:])
-- ==
-- entry: c17
-- input { 3i64 } output { [[0i64,0i64,0i64],[0i64,1i64,2i64],[0i64,2i64,4i64]] }
entry c17 (n: i64) = let is = iota n in map (\i -> map (\j -> i * j) is) is
-- ==
-- entry: c18
-- input { [1i32,2i32] } output { [[1i32, 2i32], [1i32, 2i32]] }
entry c18 [n] (xs: [n]i32) = map (const xs) xs
-- ==
-- entry: c19
-- input { [5i32, 6i32] } output { [0i64, 1i64] [5i32, 6i32] }
entry c19 [n] (xs: [n]i32) = unzip (zip (indices xs) xs)
-- ==
-- entry: c20
-- input { [1i32,2i32,3i32] [true,false,true] } output { [1i32, 3i32] [2i32] }
entry c20 [n] (xs: [n]i32) (bs: [n]bool) =
  let (a, b) = partition (.1) (zip xs bs)
  in (map (.0) a, map (.0) b)
-- ==
-- entry: c21
-- input { 7i32 } output { 0i32 7i32 }
module type S = { val f : i32 -> i32 }
module F (A: S) (B: S) : S = { def f (x: i32) = A.f (B.f x) }
module neg1 = { def f (x: i32) = x - 1 }
module dbl = { def f (x: i32) = 2 * x }
module nd = F neg1 dbl
module dn = F dbl neg1
module id1 = F (F {def f (x: i32) = x + 1} neg1) {def f (x: i32) = x}
entry c21 (x: i32) = (nd.f x - 13, id1.f x)
-- ==
-- entry: c22
-- input { 3i64 [1i32,2i32,3i32,4i32] } output { [1i32, 2i32, 3i32] }
entry c22 (k: i64) (xs: []i32) = let [m] (ys: [m]i32) = take k xs in (ys :> [m]i32)
