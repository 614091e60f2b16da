-- Dynamic programming, strings, puzzles.
-- ==
-- entry: lcs
-- input { [1u8,2u8,3u8,4u8,1u8] [3u8,4u8,1u8,2u8,1u8,3u8] } output { 3i32 }
-- ==
-- entry: levenshtein
-- input { [107u8,105u8,116u8,116u8,101u8,110u8] [115u8,105u8,116u8,116u8,105u8,110u8,103u8] } output { 3i32 }
-- ==
-- entry: knapsack
-- input { [1i64,3i64,4i64,5i64] [1i32,4i32,5i32,7i32] 7i64 } output { 9i32 }
-- ==
-- entry: max_subarray
-- input { [-2,1,-3,4,-1,2,1,-5,4] } output { 6i32 }
-- input { empty([0]i32) } output { 0i32 }
-- ==
-- entry: longest_run
-- input { [1,1,2,2,2,3] } output { 3i32 }
-- ==
-- entry: rle
-- input { [1,1,2,2,2,3] } output { [1,2,3] [2i64,3i64,1i64] }
-- ==
-- entry: unrle
-- input { [1,2,3] [2i64,0i64,3i64] } output { [1,1,3,3,3] }
-- ==
-- entry: rot13
-- input { [72u8,101u8,33u8] } output { [85u8,114u8,33u8] }
-- ==
-- entry: wordcount
-- input { } output { 4i64 }
-- ==
-- entry: palindrome
-- input { } output { true false }
-- ==
-- entry: queens
-- input { 6i32 } output { 4i32 }
-- ==
-- entry: hanoi
-- input { 10i64 } output { 1023i64 }
-- ==
-- entry: pascal
-- input { 5i64 } output { [[1i64,0i64,0i64,0i64,0i64],[1i64,1i64,0i64,0i64,0i64],[1i64,2i64,1i64,0i64,0i64],[1i64,3i64,3i64,1i64,0i64],[1i64,4i64,6i64,4i64,1i64]] }
-- ==
-- entry: collatz
-- input { 30i64 } output { 27i64 111i32 }
-- ==
-- entry: sieve
-- input { 30i64 } output { [2i64,3i64,5i64,7i64,11i64,13i64,17i64,19i64,23i64,29i64] }
-- ==
-- entry: gcds
-- input { [12i32,18i32,24i32] } output { 6i32 72i32 }
-- ==
-- entry: magic
-- input { 3i64 } output { [[8i64,1i64,6i64],[3i64,5i64,7i64],[4i64,9i64,2i64]] true }
-- ==
-- entry: spiral
-- input { 3i64 } output { [[0i64,1i64,2i64],[7i64,8i64,3i64],[6i64,5i64,4i64]] }
-- ==
-- entry: catalan
-- input { 8i64 } output { [1i64,1i64,2i64,5i64,14i64,42i64,132i64,429i64] }
-- ==
-- entry: gray
-- input { 4u8 } output { [0u8,1u8,3u8,2u8] [0u8,1u8,2u8,3u8] }
-- ==
-- entry: perfect
-- input { 500i32 } output { [6i32,28i32,496i32] }
-- ==
-- entry: kmp
-- input { [1u8,2u8,1u8,2u8,1u8,3u8] [1u8,2u8,1u8] } output { [0i64,2i64] }
-- ==
-- entry: brackets
-- input { [40u8,91u8,93u8,41u8] } output { true }
-- input { [40u8,91u8,41u8,93u8] } output { false }
-- ==
-- entry: itoa
-- input { 12045i32 } output { [49u8,50u8,48u8,52u8,53u8] }
-- input { 0i32 } output { [48u8] }
-- ==
-- entry: atoi
-- input { [49u8,50u8,48u8] } output { 120i32 }

entry lcs [n] [m] (a: [n]u8) (b: [m]u8) : i32 =
  let t = loop t = replicate (n + 1) (replicate (m + 1) 0i32) for i < n do
    loop t for j < m do
      let v = if a[i] == b[j] then t[i, j] + 1 else i32.max t[i, j + 1] t[i + 1, j]
      in t with [i + 1, j + 1] = v
  in t[n, m]

entry levenshtein [n] [m] (a: [n]u8) (b: [m]u8) : i32 =
  let row = map i32.i64 (iota (m + 1))
  let final = loop row for i < n do
    let next = replicate (m + 1) 0 with [0] = i32.i64 (i + 1)
    in loop next for j < m do
         let cost = i32.bool (a[i] != b[j])
         let v = i32.min (row[j] + cost) (1 + i32.min row[j + 1] next[j])
         in next with [j + 1] = v
  in final[m]

entry knapsack [n] (w: [n]i64) (v: [n]i32) (cap: i64) : i32 =
  last (loop best = replicate (cap + 1) 0 for (wi, vi) in zip w v do
          tabulate (cap + 1) (\c -> if c >= wi then i32.max best[c] (best[c - wi] + vi) else best[c]))

entry max_subarray [n] (xs: [n]i32) : i32 =
  let op (a, b, c, d) (e, f, g, h) =
    (i32.max a (i32.max e (c + f)), i32.max b (d + f), i32.max g (h + c), d + h)
  let f x = let p = i32.max x 0 in (p, p, p, x)
  in (reduce op (0, 0, 0, 0) (map f xs)).0

entry longest_run [n] (xs: [n]i32) : i32 =
  let op (a: {best: i32, left: i32, right: i32, len: i32, first: i32, last: i32}) (b: {best: i32, left: i32, right: i32, len: i32, first: i32, last: i32}) =
    if a.len == 0 then b else if b.len == 0 then a else
    let joined = if a.last == b.first then a.right + b.left else 0
    in {best = i32.max joined (i32.max a.best b.best),
        left = if a.left == a.len && a.last == b.first then a.len + b.left else a.left,
        right = if b.right == b.len && a.last == b.first then b.len + a.right else b.right,
        len = a.len + b.len, first = a.first, last = b.last}
  in (reduce op {best = 0, left = 0, right = 0, len = 0, first = 0, last = 0}
        (map (\x -> {best = 1, left = 1, right = 1, len = 1, first = x, last = x}) xs)).best

entry rle [n] (xs: [n]i32) : ([]i32, []i64) =
  let starts = filter (\i -> i == 0 || xs[i] != xs[i - 1]) (iota n)
  let k = length starts
  let ends = map (\i -> if i + 1 < k then starts[i + 1] else n) (iota k)
  in (map (\i -> xs[i]) starts, map2 (-) ends (sized k starts))

entry unrle [n] (vs: [n]i32) (cs: [n]i64) : []i32 =
  let ends = scan (+) 0 cs
  let total = i64.sum cs
  let starts = map2 (-) ends cs
  let marks = reduce_by_index (replicate total 0i64) i64.max 0 (map2 (\s c -> if c > 0 then s else -1) starts cs) (indices vs)
  let which = scan i64.max 0 marks
  in map (\i -> vs[i]) which

def islower (c: u8) = c >= 'a' && c <= 'z'
def isupper (c: u8) = c >= 'A' && c <= 'Z'

entry rot13 (s: []u8) : []u8 =
  map (\c -> if islower c then 'a' + (c - 'a' + 13) % 26 else if isupper c then 'A' + (c - 'A' + 13) % 26 else c) s

entry wordcount : i64 =
  let s = "the quick  brown fox"
  let starts = map (\i -> s[i] != ' ' && (i == 0 || s[i - 1] == ' ')) (indices s)
  in i64.sum (map i64.bool starts)

entry palindrome =
  let f [n] (s: [n]u8) = and (map2 (==) s (reverse s))
  in (f "racecar", f "racecars")

entry queens (n: i32) : i32 =
  let all = (1 << n) - 1
  let depth = i64.i32 n + 1
  let stack = replicate depth (0i32, 0i32, 0i32, all)
  let (_, _, count) =
    loop (stack, top, count) = (stack, 0i64, 0i32) while top >= 0 do
      let (cols, d1, d2, todo) = stack[top]
      in if todo == 0 then (stack, top - 1, count)
         else
           let bit = todo & -todo
           let stack[top] = (cols, d1, d2, todo & !bit)
           let cols' = cols | bit
           in if cols' == all then (stack, top, count + 1)
              else let e1 = (d1 | bit) << 1
                   let e2 = (d2 | bit) >> 1
                   let free = all & !(cols' | e1 | e2)
                   in (stack with [top + 1] = (cols', e1, e2, free), top + 1, count)
  in count

entry hanoi (n: i64) : i64 = loop m = 0 for _i < n do 2 * m + 1

entry pascal (n: i64) : [n][n]i64 =
  let rows = replicate n (replicate n 0)
  in loop rows for i < n do
       loop rows for j in 0...i do
         let v = if j == 0 || j == i then 1 else rows[i - 1, j - 1] + rows[i - 1, j]
         in rows with [i, j] = v

entry collatz (n: i64) : (i64, i32) =
  let steps (x: i64) = (loop (x, k) = (x, 0i32) while x != 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, k + 1)).1
  let f (a, x) (b, y) = if x > y || (x == y && a < b) then (a, x) else (b, y)
  in reduce f (0, -1) (map (\x -> (x, steps x)) (1...n))

entry sieve (n: i64) : []i64 =
  let flags = replicate (n + 1) true with [0:2] = [false, false]
  let flags = loop flags for i in 2...i64.f64 (f64.sqrt (f64.i64 n)) do
    if !flags[i] then flags
    else let ms = map (* i) (i...n / i) in scatter flags ms (map (const false) ms)
  in filter (\i -> flags[i]) (0...n)

entry gcds (xs: []i32) : (i32, i32) =
  let gcd (a: i32) (b: i32) = (loop (a, b) while b != 0 do (b, a % b)).0
  let lcm a b = if a == 0 || b == 0 then 0 else a / gcd a b * b
  in (reduce gcd 0 xs, reduce lcm 1 xs)

entry magic (n: i64) =
  let (m, _, _) =
    loop (m, i, j) = (replicate n (replicate n 0i64), 0, n / 2) for k in 1...n * n do
      let m = m with [i, j] = k
      let (i', j') = ((i - 1) % n, (j + 1) % n)
      in if m[i', j'] != 0 then (m, (i + 1) % n, j) else (m, i', j')
  let want = n * (n * n + 1) / 2
  let ok = all (== want) (map i64.sum m) && all (== want) (map i64.sum (transpose m))
  in (m, ok)

entry spiral (n: i64) : [n][n]i64 =
  let (m, _, _, _, _) =
    loop (m, i, j, di, dj) = (replicate n (replicate n (-1)), 0, 0, 0, 1) for k < n * n do
      let m = m with [i, j] = k
      let (a, b) = (i + di, j + dj)
      let turn = a < 0 || a >= n || b < 0 || b >= n || m[a % n, b % n] >= 0
      let (di, dj) = if turn then (dj, -di) else (di, dj)
      in (m, i + di, j + dj, di, dj)
  in m

entry catalan (n: i64) : [n]i64 =
  loop c = replicate n 1 for i in 1..<n do
    let v = i64.sum (map2 (*) c[0:i] (reverse c[0:i]))
    in c with [i] = v

entry gray (n: u8) =
  let g = map (\x -> x ^ (x >> 1)) (0..<n)
  let back x = x ^ (x >> 1) ^ (x >> 2)
  in (g, map back g)

entry perfect (n: i32) =
  filter (\x -> x == i32.sum (filter (\d -> x % d == 0) (1...x / 2))) (2...n)

entry kmp [n] [m] (text: [n]u8) (pat: [m]u8) : []i64 =
  let fail = loop fail = replicate m 0i64 for i in 1..<m do
    let k = loop k = fail[i - 1] while k > 0 && pat[k] != pat[i] do fail[k - 1]
    let k = if pat[k] == pat[i] then k + 1 else k
    in fail with [i] = k
  let (_, hits, count) =
    loop (k, hits, count) = (0i64, replicate n 0i64, 0i64) for i < n do
      let k = loop k while k > 0 && pat[k] != text[i] do fail[k - 1]
      let k = if pat[k] == text[i] then k + 1 else k
      in if k == m then (fail[k - 1], hits with [count] = i - m + 1, count + 1) else (k, hits, count)
  in take count hits

entry brackets [n] (s: [n]u8) : bool =
  let opener c : u8 = if c == ')' then '(' else if c == ']' then '[' else 0
  let (_, depth, ok) =
    loop (stack, depth, ok) = (replicate n 0u8, 0i64, true) for c in s do
      if c == '(' || c == '[' then (stack with [depth] = c, depth + 1, ok)
      else if depth == 0 || stack[depth - 1] != opener c then (stack, depth, false)
      else (stack, depth - 1, ok)
  in ok && depth == 0

entry itoa (x: i32) : []u8 =
  let digits = (loop (x, k) = (x, 0i64) while x > 0 do (x / 10, k + 1)).1
  let k = i64.max 1 digits
  in map (\i -> '0' + u8.i32 (x / 10 ** i32.i64 (k - 1 - i) % 10)) (iota k)

entry atoi (s: []u8) : i32 = foldl (\a c -> a * 10 + i32.u8 (c - '0')) 0 s
