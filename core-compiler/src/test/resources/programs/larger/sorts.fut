-- Sorting, several ways.
-- ==
-- entry: merge_sort radix_sort_i32 quick_sort bitonic odd_even rank_sort heap_sort insertion_sort
-- input { [5,3,9,-1,0,7,7,2] } output { [-1,0,2,3,5,7,7,9] }
-- input { [8,7,6,5,4,3,2,1] } output { [1,2,3,4,5,6,7,8] }

-- ==
-- entry: merge_sort radix_sort_i32 quick_sort odd_even rank_sort heap_sort insertion_sort
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [1] } output { [1] }
-- input { [3,1,2] } output { [1,2,3] }

-- ==
-- entry: sorted
-- input { 0u32 1000i64 } output { true true true }

def merge [n] [m] (xs: [n]i32) (ys: [m]i32) : [n + m]i32 =
  let lower_bound [k] (zs: [k]i32) (x: i32) : i64 =
    let (lo, _) = loop (lo, hi) = (0, k) while lo < hi do
      let mid = (lo + hi) / 2
      in if zs[mid] < x then (mid + 1, hi) else (lo, mid)
    in lo
  let upper_bound [k] (zs: [k]i32) (x: i32) : i64 =
    let (lo, _) = loop (lo, hi) = (0, k) while lo < hi do
      let mid = (lo + hi) / 2
      in if zs[mid] <= x then (mid + 1, hi) else (lo, mid)
    in lo
  let is = map2 (\i x -> i + lower_bound ys x) (iota n) xs
  let js = map2 (\j y -> j + upper_bound xs y) (iota m) ys
  in scatter (replicate (n + m) 0) (is ++ js) (xs ++ ys)

entry merge_sort [n] (xs: [n]i32) : [n]i32 =
  let (res, _) =
    loop (xs, w) = (copy xs, 1) while w < n do
      let pieces = (n + 2 * w - 1) / (2 * w)
      let out =
        loop out = replicate n 0 for p < pieces do
          let a = p * 2 * w
          let b = i64.min n (a + w)
          let c = i64.min n (b + w)
          let merged = merge xs[a:b] xs[b:c]
          in out with [a:c] = sized (c - a) merged
      in (out, 2 * w)
  in res

def radix_step [n] (get_bit: i32 -> i32) (xs: [n]i32) : [n]i32 =
  let bits = map (\x -> i64.i32 (get_bit x)) xs
  let zeros = map (1 -) bits
  let k = i64.sum zeros
  let is0 = map2 (*) zeros (map (\x -> x - 1) (scan (+) 0 zeros))
  let is1 = map2 (*) bits (map (\x -> x - 1 + k) (scan (+) 0 bits))
  in scatter (copy xs) (map2 (+) is0 is1) xs

entry radix_sort_i32 [n] (xs: [n]i32) : [n]i32 =
  let xs = loop xs for b < 31 do radix_step (i32.get_bit b) xs
  in radix_step (\x -> 1 - i32.get_bit 31 x) xs

entry quick_sort [n] (xs: [n]i32) : [n]i32 =
  let stack = replicate (n + 1) (0i64, n)
  let (xs, _, _) =
    loop (xs, stack, top) = (copy xs, stack, 1i64) while top > 0 do
      let (lo, hi) = stack[top - 1]
      in if hi - lo < 2 then (xs, stack, top - 1)
         else
           let part = copy xs[lo:hi]
           let p = part[(hi - lo) / 2]
           let (less, equal, more) = partition2 (< p) (== p) part
           let a = length less
           let b = length equal
           let m = hi - lo
           let xs = xs with [lo:hi] = sized m (less ++ equal ++ more)
           let stack = stack with [top - 1] = (lo, lo + a)
           let stack = stack with [top] = (lo + a + b, hi)
           in (xs, stack, top + 1)
  in xs

entry bitonic [n] (xs: [n]i32) : [n]i32 =
  let lg = i64.i32 (63 - i64.clz n)
  in loop xs = copy xs for i in 1...lg do
     loop xs for j in (i - 1)..(i - 2)...0 do
       let d = 1 << j
       let k = 1 << i
       in tabulate n (\a ->
         let b = a ^ d
         let up = (a & k) == 0
         in if b > a then (if up then i32.min xs[a] xs[b] else i32.max xs[a] xs[b])
            else (if up then i32.max xs[a] xs[b] else i32.min xs[a] xs[b]))

entry odd_even [n] (xs: [n]i32) : [n]i32 =
  loop xs = copy xs for r < n do
    let off = r % 2
    in tabulate n (\i ->
      let left = (i - off) % 2 == 0
      in if i < off then xs[i]
         else if left then (if i + 1 < n then i32.min xs[i] xs[i + 1] else xs[i])
         else i32.max xs[i - 1] xs[i])

entry rank_sort [n] (xs: [n]i32) : [n]i32 =
  let rank i x = i64.sum (map2 (\j y -> i64.bool (y < x || (y == x && j < i))) (iota n) xs)
  in scatter (replicate n 0) (map2 rank (iota n) xs) xs

entry heap_sort [n] (xs: [n]i32) : [n]i32 =
  let sift [k] (xs: *[k]i32) (start: i64) (end: i64) : *[k]i32 =
    let (xs, _, _) =
      loop (xs, root, go) = (xs, start, true) while go && 2 * root + 1 < end do
        let child = 2 * root + 1
        let child = if child + 1 < end && xs[child] < xs[child + 1] then child + 1 else child
        in if xs[root] < xs[child]
           then let a = xs[root]
                let b = xs[child]
                let xs[root] = b
                let xs[child] = a
                in (xs, child, true)
           else (xs, root, false)
    in xs
  let xs = loop xs = copy xs for i < n / 2 do sift xs (n / 2 - 1 - i) n
  in loop xs for i < n do
       let e = n - 1 - i
       let a = xs[0]
       let b = xs[e]
       let xs[0] = b
       let xs[e] = a
       in sift xs 0 e

entry insertion_sort [n] (xs: [n]i32) : [n]i32 =
  loop xs = copy xs for i < n do
    let x = xs[i]
    let (xs, j) =
      loop (xs, j) = (xs, i) while j > 0 && xs[j - 1] > x do
        let y = xs[j - 1]
        in (xs with [j] = y, j - 1)
    in xs with [j] = x

def lcg (s: u32) : u32 = s * 1664525 + 1013904223

entry sorted (seed: u32) (n: i64) =
  let (_, xs) = loop (s, xs) = (seed, replicate n 0i32) for i < n do
    let s = lcg s in (s, xs with [i] = i32.u32 (s >> 8) - 4000000)
  let ok ys = and (map (\i -> i == 0 || ys[i - 1] <= ys[i]) (indices ys))
  in (ok (merge_sort xs), ok (radix_sort_i32 xs), ok (quick_sort xs))
