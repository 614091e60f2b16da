-- Operators, literals, patterns, and what else expressions are made of.
-- ==
-- entry: prec
-- input { 2 3 4 } output { 14i32 20i32 true false 10i32 }
entry prec (a: i32) (b: i32) (c: i32) = (a + b * c, (a + b) * c, a < b && b < c, !(a < b), a + b << 1)
-- ==
-- entry: neg
-- input { 3 } output { -3i32 3i32 -9i32 9i32 }
entry neg (x: i32) = (-x, - -x, -x * 3, -x ** 2)
-- ==
-- entry: backtick
-- input { 3 4 } output { 4i32 7i32 }
def plus (x: i32) y = x + y
entry backtick (x: i32) (y: i32) = (x `i32.max` y, x `plus` y)
-- ==
-- entry: sections
-- input { [1,2,3] } output { [2,3,4] [9,8,7] [-1,0,1] [2,4,8] [true,false,false] }
entry sections (xs: []i32) = (map (+ 1) xs, map (10 -) xs, map (\x -> x - 2) xs, map (2 **) xs, map (< 2) xs)
-- ==
-- entry: proj
-- input { [1,2,3] } output { [1,2,3] 2i32 [3,4] }
entry proj (xs: []i32) = (map (.x) (map (\x -> {x, y = x}) xs), (.[1]) xs, map (.[0, 1]) [[[2, 3]], [[3, 4]]])
-- ==
-- entry: strs
-- input { } output { [104u8, 105u8, 10u8, 34u8, 92u8] 97u8 }
entry strs = ("hi\n\"\\", 'a' : u8)
-- ==
-- entry: shadow
-- input { 1 } output { 5i32 }
entry shadow (x: i32) = let x = x + 1 let x = x * 2 in let x = x + 1 in x
-- ==
-- entry: multi
-- input { 5i64 } output { 10i64 4i64 }
entry multi (n: i64) = let (s, m) = loop (s, m) = (0, 0) for i < n do (s + i, i64.max m i) in (s, m)
-- ==
-- entry: whilepat
-- input { 100 } output { 128i32 7i32 }
entry whilepat (n: i32) = loop (x, k) = (1, 0) while x < n do (x * 2, k + 1)
-- ==
-- entry: forin
-- input { [[1,2],[3,4]] } output { 24i32 [4,6] }
entry forin [n] (xs: [][n]i32) = (loop p = 1 for r in xs do loop p for x in r do p * x, loop a = replicate n 0 for r in xs do map2 (+) a r)
-- ==
-- entry: forpat
-- input { [1,2] [3,4] } output { 11i32 }
entry forpat (a: []i32) (b: [2]i32) = loop s = 0 for (x, y) in zip (a :> [2]i32) b do s + x * y
-- ==
-- entry: ifelse
-- input { 5 } output { 2i32 }
-- input { 15 } output { 1i32 }
entry ifelse (x: i32) : i32 = if x > 10 then 1 else if x > 3 then 2 else 3
-- ==
-- entry: sizeparam
-- input { [[1,2,3],[4,5,6]] } output { 2i64 3i64 6i64 }
entry sizeparam [n] [m] (xs: [n][m]i32) : (i64, i64, i64) = (n, m, length (flatten xs))
-- ==
-- entry: sizeexp
-- input { [1,2,3] } output { [1,2,3,1,2,3] 6i64 }
def twice [n] (xs: [n]i32) : [2 * n]i32 = xs ++ xs :> [2 * n]i32
entry sizeexp [n] (xs: [n]i32) = let ys = twice xs in (ys, length ys)
-- ==
-- entry: exist
-- input { 3i64 } output { [0i64,1i64,2i64] 3i64 }
def mk (n: i64) : ?[k].[k]i64 = iota n
entry exist (n: i64) = let ys = mk n let [k] (zs: [k]i64) = ys in (zs, k)
-- ==
-- entry: absize
-- input { [1,2,3,4] } output { [3,4] }
type sized_arr [n] 't = [n]t
def last2 [n] 't (xs: sized_arr [n] t) : sized_arr [2] t = xs[n-2:n] :> [2]t
entry absize (xs: []i32) = last2 xs
-- ==
-- entry: curried
-- input { 1 2 } output { 3i32 }
entry curried : i32 -> i32 -> i32 = \x y -> x + y
-- ==
-- entry: consts
-- input { } output { 45i64 [0i64,2i64,4i64] }
def total = i64.sum (iota 10)
def evens = map (* 2) (iota 3)
entry consts = (total, evens)
-- ==
-- entry: letfun
-- input { 10 } output { 55i32 }
entry letfun (n: i32) = let sum (xs: []i32) = reduce (+) 0 xs in sum (1...n)
-- ==
-- entry: poly
-- input { 1 2f32 } output { 1i32 2f32 true }
def first 'a 'b (x: a, _: b) : a = x
entry poly (x: i32) (y: f32) = (first (x, y), first (y, x), first (true, false))
-- ==
-- entry: attrs
-- input { [1,2] } output { 3i32 }
entry attrs (xs: []i32) = #[sequential] reduce (+) 0 (#[unroll] map (\x -> #[inline] x) xs)
-- ==
-- entry: ascr
-- input { 1 } output { 1i32 1f32 2i64 }
entry ascr (x: i32) = (x : i32, f32.i32 x : f32, (2 : i64))
-- ==
-- entry: trailing
-- input { 1 } output { 1i32 [1,1] }
entry trailing (x: i32) = (x, [x, x,],)
-- ==
-- entry: u8s
-- input { 200u8 100u8 } output { 44u8 100u8 2u8 }
entry u8s (x: u8) (y: u8) = (x + y, x - y, x / y)
-- ==
-- entry: hexf
-- input { } output { 0.5f64 255i32 10i32 1e10f64 1.5f32 }
entry hexf = (0x1p-1f64, 0xffi32, 0b1010i32, 1e10f64, 1.5f32)
-- ==
-- entry: cmps
-- input { 1 2 } output { true true false false false true }
entry cmps (x: i32) (y: i32) = (x < y, x <= y, x > y, x >= y, x == y, x != y)
-- ==
-- entry: tupcmp
-- input { 1 2 } output { false true true }
entry tupcmp (x: i32) (y: i32) = ((x, y) == (y, x), (x, y) == (x, y), [x, y] == [1, 2])
-- ==
-- entry: dots
-- input { 3 } output { 6i32 }
def (|>>) x f = f x
entry dots (x: i32) = x |>> (* 2)
