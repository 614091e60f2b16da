-- Functions that call themselves.
-- ==
-- tags { no_cuda no_simulate }
-- entry: factorial
-- input { 5 } output { 120 }
-- input { 0 } output { 1 }

-- ==
-- entry: factorials
-- input { [1, 2, 3, 4] } output { [1, 2, 6, 24] }

-- ==
-- entry: fibonacci
-- input { 15i64 } output { 610i64 }

-- ==
-- entry: deep
-- input { 300i64 } output { 300i64 }

-- ==
-- entry: sorted
-- input { [3, 1, 2, 9, 3, 3, 0] } output { [0, 1, 2, 3, 3, 3, 9] }
-- input { empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: iterated
-- input { 3 4 } output { 22 }

-- ==
-- entry: iterated_arrays
-- input { 2 [1, 2, 3] } output { [7, 8, 9] }

-- ==
-- entry: table_sum
-- input { 4i64 } output { 10i64 }

-- ==
-- entry: ackermann
-- input { 2i64 3i64 } output { 9i64 }

-- ==
-- entry: numbers
-- input { 5i64 } output { [1i64, 2i64, 3i64, 4i64, 5i64] }

-- ==
-- entry: number_sums
-- input { 5i64 } output { [0i64, 1i64, 3i64, 6i64, 10i64] }

-- ==
-- entry: in_place
-- input { 5i64 } output { [1i64, 2i64, 3i64, 4i64, 5i64] }

-- ==
-- entry: scaled
-- input { 2.0 } output { 120.0 }

-- ==
-- entry: looped
-- input { 7i64 3i64 } output { [1i64, 7i64] }
-- input { 3i64 4i64 } output { [1i64, 3i64] }

-- ==
-- entry: records
-- input { 4 } output { 10 2.0f32 true }

-- ==
-- entry: sums
-- input { 3 } output { 3.0f32 }

-- ==
-- entry: halves
-- input { [[1.0f32, 2.0f32, 3.0f32], [4.0f32, 5.0f32, 6.0f32]] } output { [6.0f32, 15.0f32] }

-- ==
-- entry: columns
-- input { [[1, 2], [3, 4], [5, 6]] } output { [9, 12] }

-- ==
-- entry: failing
-- input { 3 } output { 3 }
-- input { -1 } error: n >= 0

-- ==
-- entry: guarded
-- input { 4i64 } output { [0i64, 1i64, 3i64, 6i64] }

def fact (n: i32) : i32 = if n <= 1 then 1 else n * fact (n - 1)

entry factorial (n: i32) : i32 = fact n
entry factorials [n] (xs: [n]i32) : [n]i32 = map fact xs

def fib (n: i64) : i64 = if n < 2 then n else fib (n - 1) + fib (n - 2)

entry fibonacci (n: i64) = fib n

def depth (n: i64) : i64 = if n == 0 then 0 else 1 + depth (n - 1)

entry deep (n: i64) = depth n

def quicksort [n] (xs: [n]i32) : [n]i32 =
  if n < 2
  then copy xs
  else let pivot = xs[n / 2]
       let smaller = filter (< pivot) xs
       let same = filter (== pivot) xs
       let larger = filter (> pivot) xs
       in (quicksort smaller ++ same ++ quicksort larger) :> [n]i32

entry sorted [n] (xs: [n]i32) : [n]i32 = quicksort xs

def iter 'a (f: a -> a) (n: i32) (x: a) : a = if n == 0 then x else iter f (n - 1) (f x)

entry iterated (k: i32) (n: i32) = iter (+ k) n 10
entry iterated_arrays [m] (k: i32) (xs: [m]i32) : [m]i32 = iter (map (+ k)) 3 xs

def table = iota 10
def sum_to (i: i64) : i64 = if i <= 0 then 0 else table[i] + sum_to (i - 1)

entry table_sum (i: i64) = sum_to i

def ack (m: i64) (n: i64) : i64 =
  if m == 0
  then n + 1
  else if n == 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))

entry ackermann (m: i64) (n: i64) = ack m n

def upto (n: i64) : []i64 = if n == 0 then [] else upto (n - 1) ++ [n]

entry numbers (n: i64) = upto n
entry number_sums (n: i64) = map (\i -> i64.sum (upto i)) (iota n)

def count [k] (n: i64) (a: *[k]i64) : *[k]i64 =
  if n == 0 then a else let a[n - 1] = n in count (n - 1) a

entry in_place (n: i64) = count n (replicate n 0)

entry scaled (x: f64) = vjp (\x -> x * f64.i32 (fact 5)) x 1

entry looped (k: i64) (n: i64) =
  loop a = [1, 2, 3] for _i < n do upto (a[0] % 5) ++ [k]

type point = {a: i32, b: (f32, bool)}

def moved (n: i32) (x: point) : point = if n == 0 then x else moved (n - 1) (x with a = x.a + n)

entry records (n: i32) =
  let r = moved n {a = 0, b = (2, true)}
  in (r.a, r.b.0, r.b.1)

type either = #left i32 | #right f32

def turn (n: i32) (x: either) : either =
  match x
  case #left i -> if n == 0 then #right (f32.i32 i) else turn (n - 1) (#left (i + 1))
  case #right f -> #right f

entry sums (n: i32) =
  match turn n (#left 0)
  case #left _ -> -1f32
  case #right x -> x

def halved [n] (a: [n]f32) : f32 =
  if n == 1 then a[0] else let h = n / 2 in halved a[:h] + halved a[h:]

entry halves [n] [m] (a: [n][m]f32) = map halved a

def folded [n] [m] (k: i64) (a: [n][m]i32) : [m]i32 =
  if k == n then replicate m 0 else map2 (+) a[k] (folded (k + 1) a)

entry columns [n] [m] (a: [n][m]i32) : [m]i32 = folded 0 a

def down (n: i32) : i32 = assert (n >= 0) (if n == 0 then 0 else 1 + down (n - 1))

entry failing (n: i32) = let r = down n in if r < 0 then 0 else r

-- what is given to it has captured an array and a size
def applied [n] (f: i64 -> [n]i64 -> [n]i64) (i: i64) (xs: [n]i64) : [n]i64 =
  if i == 0 then xs else applied f (i - 1) (f i xs)

entry guarded (n: i64) =
  let ys = iota n
  let add (i: i64) (xs: [n]i64) = map2 (\x j -> if j >= i then x + ys[i] else x) xs ys
  in applied add (n - 1) (replicate n 0)
