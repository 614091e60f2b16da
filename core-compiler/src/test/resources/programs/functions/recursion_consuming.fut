-- A call of a function that calls itself leaves its arguments as they are in memory, even those that
-- it may consume, and what it returns is not a part of them. What reads them may be moved past it.

def fill [n] (xs: *[n]i64) (k: i64) : *[n]i64 =
  if k >= n then xs else fill (xs with [k] = xs[k] * 2 + k) (k + 1)

-- ==
-- tags { no_cuda no_simulate }
-- entry: whole
-- input { [1i64,2i64,3i64] }
-- output { 6i64 [2i64,5i64,8i64] }
entry whole [n] (xs: [n]i64) =
  let ys = map (+ 0) xs
  let s = i64.sum (map (\y -> y) ys)
  let zs = fill (copy ys) 0
  in (s, zs)

-- ==
-- entry: before
-- input { [1i64,2i64,3i64] }
-- output { 9i64 [4i64,7i64,10i64] }
entry before [n] (xs: [n]i64) =
  let ys = map (+ 1) xs
  let ds = map (\y -> y * 1) ys
  let zs = fill ys 0
  let s = i64.sum ds
  in (s, zs)

-- ==
-- entry: rows
-- input { [[1i64,2i64],[3i64,4i64]] }
-- output { [[2i64,5i64],[6i64,9i64]] [3i64,7i64] }
entry rows [n][m] (xss: [n][m]i64) =
  unzip (map (\xs -> let s = i64.sum xs in (fill (copy xs) 0, s)) xss)

-- ==
-- entry: looped
-- input { [1i64,2i64,3i64] }
-- output { [4i64,11i64,18i64] [1i64,2i64,3i64] }
entry looped [n] (xs: [n]i64) =
  let ys = loop ys = copy xs for _i < 2 do fill ys 0
  in (ys, xs)

-- ==
-- entry: slices
-- input { [[1i64,2i64],[3i64,4i64]] }
-- output { [[1i64,2i64],[6i64,9i64]] [3i64,4i64] }
entry slices [n][m] (xss: [n][m]i64) =
  let yss = copy xss
  let r = copy yss[1]
  let z = fill (copy yss[1]) 0
  let wss = yss with [1] = z
  in (wss, r)

def id2 [n] (xs: *[n]i64) (k: i64) : *[n]i64 =
  if k <= 0 then xs else id2 xs (k - 1)

-- ==
-- entry: handed
-- input { [1i64,2i64,3i64] }
-- output { [100i64,2i64,3i64] [1i64,2i64,3i64] }
entry handed [n] (xs: [n]i64) =
  let ys = copy xs
  let zs = id2 (copy ys) 3
  let zs = zs with [0] = 100
  in (zs, ys)

def part [n] (xs: [n]i64) (k: i64) : []i64 =
  if k <= 0 then xs else part (tail xs) (k - 1)

-- ==
-- entry: parts
-- input { [1i64,2i64,3i64] }
-- output { [2i64,3i64] [1i64,7i64,3i64] }
entry parts [n] (xs: [n]i64) =
  let ys = copy xs
  let p = copy (part ys 1)
  let ys = ys with [1] = 7
  in (p, ys)

-- ==
-- entry: nested
-- input { [[1i64,2i64],[3i64,4i64]] }
-- output { [[5i64,12i64],[13i64,20i64]] }
entry nested [n][m] (xss: [n][m]i64) =
  map (\xs -> loop ys = copy xs for i < 2 do map (+ i) (fill ys 0)) xss

-- ==
-- entry: inner
-- input { [[1i64,2i64],[3i64,4i64]] }
-- output { [[3i64,6i64],[9i64,12i64]] [3i64,7i64] }
entry inner [n][m] (xss: [n][m]i64) =
  unzip (map (\xs ->
                let ys = map (* 2) xs
                let ts = map2 (+) xs ys
                let zs = fill ys 0
                in (map2 (\t z -> t + 0 * z) ts zs, i64.sum xs + 0 * i64.sum zs))
             xss)
