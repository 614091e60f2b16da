-- Every kind of expression.
type^ fn = i32 -> i32
type point = {x: f32, y: f32}
type vec 'a = {x: a, y: a}
type arr [n] = [n]i32
type~ anyarr = []i32
type shape = #circle f32 | #rect f32 f32 | #empty
def area (s: shape) : f32 = match s case #circle r -> r * r * f32.pi case #rect a b -> a * b case #empty -> 0
def compose '^a '^b '^c (f: b -> c) (g: a -> b) (x: a) : c = f (g x)
def twice (f: fn) : fn = \x -> f (f x)
def addp ({x, y}: point) (p: point) : point = {x = x + p.x, y = y + p.y}
def f1 (xs: arr [3]) : i32 = xs[0]
def f2 [n] (xs: arr [n]) : arr [n] = map (+1) xs
def f3 (xs: anyarr) : i64 = length xs
def outer [n] [m] (xs: [n]f32) (ys: [m]f32) : [n][m]f32 = map (\x -> map (\y -> x * y) ys) xs
def matmul [n][m][p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a
def pw (x: f64) (n: i32) = loop acc = 1.0 for _i < n do acc * x
def gcd (a: i32) (b: i32) = let (x, _) = loop (a, b) = (a, b) while b != 0 do (b, a % b) in x
def sumfor (xs: []i32) = loop s = 0 for x in xs do s + x
def slices (xs: [10]i32) = (xs[1:3], xs[::2], xs[::-1], xs[:5], xs[5:], xs[2:9:3])
def upd (xs: *[]i32) : *[]i32 = xs with [0] = 5
def upd2 (xs: *[][]i32) : *[][]i32 = let xs[1, 2:4] = [1, 2] in xs
def recs = {a = 1i32, b = {c = 2i32, d = true}}
def recs2 = recs with b.c = 7
def locals (n: i64) = let sq x = x * x let k = sq n in iota k
def poly 'a 'b (x: a) (y: b) = (y, x)
def swap2 = poly 1i32 true
def infix_use = let (<+>) (a: i32) (b: i32) = a + b * 2 in 3 <+> 4
def (***) (a: f32) (b: f32) : f32 = a ** b
def user = 2 *** 3
def backtick (a: i32) = a `i32.max` 3
def ops (a: i32) (b: i32) = ((a + b) * (a - b) / 2 % 3 ** 2, a // b, a %% b, a << 2, a >> 1, a >>> 1, a & b | a ^ b, !a, -a)
def cmps (a: f32) = (a < 1, a <= 1, a == 1, a != 1, a > 1 && a >= 1 || !(a < 0))
def strs = "hello"
def chr : u8 = 'a'
def hexs = (0xFFu8, 0b101i64, 1_000i32, 1e3f32, 0x1p3f64, 1.5f16, -3i8)
def ranges (n: i64) = (0..<n, 1...n, 0..2..<n, 10..9..>0, 0...5i32)
def ifs (c: bool) = if c then [1i32,2,3] else [4]
def nested (t: ((i32, f32), bool)) = let ((a, b), c) = t in (a, if c then b else 0)
def match2 (x: (i32, bool)) = match x case (0, true) -> 1i32 case (_, false) -> 2 case (n, _) -> n
def matchneg (x: i32) = match x case -1 -> 0i32 case 0x10 -> 1 case _ -> 2
def lit (x: f32) = match x case 1.0 -> true case _ -> false
def proj = map (.x) [{x = 1i32}, {x = 2}]
def proj2 = map (.0) [(1i32, 2f32)]
def projidx = map (.[0]) [[1i32, 2], [3, 4]]
def sect = (map (2-) [1i32], map (i32.max 1) [2], map (`i32.max` 3) [1])
def subtract (a: i32) (b: i32) = b - a
def asc (x: i32) = (x : i32)
def coe [n] (xs: [n]i32) = xs :> [10]i32
def coe2 (xs: []i32) (ys: []i32) = let n = length xs in zip (xs :> [n]i32) (ys :> [n]i32)
def letsize (xs: []i32) = let [k] (ys: [k]i32) = filter (> 0) xs in (k, replicate k 1i32)
def holes : i32 = ???
def assertx (x: i32) = assert (x > 0) x
def attrs (xs: []i32) = #[sequential] map (+ 1) xs
def scn (xs: []i32) = scan (\a b -> a + b) 0 xs
def part (xs: []i32) = let (a, b) = partition (> 0) xs in length a + length b
def lopen = i32.(3 + 4 * max 1 2)
def rbi (is: []i64) (xs: []i32) = reduce_by_index (replicate 10 0) (+) 0 is xs
def sc [n] (is: [n]i64) (xs: [n]i32) = scatter (replicate 10 0i32) is xs
def unf (xs: [12]i32) : [3][4]i32 = unflatten (xs :> [3*4]i32)
def recf 't (eq: t -> t -> bool) (a: t) (b: t) = eq a b
def eqs = ([1i32,2] == [1,2], (1i32, true) == (1, true), {a=1i32} != {a=2})
def curried = let f = i32.max 3 in f 4
def iterf = iterate 5 (* 2) 1i32
def hof [n] 'a 'b (f: a -> b) (xs: [n]a) : [n]b = map f xs
def ret_fn (x: i32) : (i32 -> i32) = \y -> x + y
def app = ret_fn 3 4
def mapi [n] 'a 'b (f: i64 -> a -> b) (xs: [n]a) : [n]b = map2 f (iota n) xs
def lst [n] (xs: [n]i32) = if n == 0 then 0 else xs[n - 1]
def mixupd (r: *{a: [10]i32, b: i32}) = r with a[3] = 4
def whilel (n: i32) = loop x = 1 while x < n do x * 2
def loopsz = loop xs = [1i32] for _i < 4i32 do xs ++ xs
def loop3 [n] (xs: *[n]i32) = loop xs for i < n do xs with [i] = 2
def accs [n] (is: [n]i64) = reduce_by_index_stream (replicate 5 0i32) (+) 0 (\acc i -> write acc i 1) is
def existret (x: i32) : ?[n].[n]i32 = replicate (i64.i32 x) x
def depfun (f: (n: i64) -> [n]i32) = f 10
def depapp = depfun (\n -> replicate n 1i32)
def sizes [n] (xs: [n]i32) (ys: [n+1]i32) = (head xs, ys[n])
def call = sizes [1,2] ([1,2] ++ [3])
