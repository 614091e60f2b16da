-- Histograms of pairs in which many elements meet in each place.

-- The least element of each bin, and its number.
def least (a: i32, i: i64) (b: i32, j: i64) =
  if a < b || (a == b && i < j) then (a, i) else (b, j)

def numbers (n: i64): [n]i32 = map (\i -> i32.i64 (i * 7919 % 1009)) (iota n)

-- ==
-- entry: histogram
-- input { 0i64 3i64 } output { true }
-- input { 5i64 3i64 } output { true }
-- input { 100i64 3i64 } output { true }
-- input { 700i64 1i64 } output { true }
-- input { 700i64 17i64 } output { true }
entry histogram (n: i64) (bins: i64): bool =
  let (xs, is) = (numbers n, map (\i -> i * i % (bins + 1)) (iota n))
  let (ys, js) =
    hist least (i32.highest, i64.highest) bins is (zip xs (iota n)) |> unzip
  let (us, vs) =
    loop (us, vs) = (replicate bins i32.highest, replicate bins i64.highest) for k < n do
      if is[k] < bins
      then let (u, v) = least (us[is[k]], vs[is[k]]) (xs[k], k)
           in (us with [is[k]] = u, vs with [is[k]] = v)
      else (us, vs)
  in and (map2 (==) ys us) && and (map2 (==) js vs)

-- What was there before counts once.
-- ==
-- entry: before
-- input { 300i64 } output { [22250i32, 22550i32, 22401i32] [297i64, 299i64, 298i64] }
entry before (n: i64) =
  reduce_by_index (zip [0, 0, 1] [1, 2, 3]) (\(a: i32, i: i64) (b, j) -> (a + b, i64.max i j)) (0, 0)
                  (map (\i -> (i * 2) % 3) (iota n))
                  (zip (map (\i -> i32.i64 i * 3 / 2) (iota n)) (iota n))
  |> unzip

-- Rows, element by element.
-- ==
-- entry: rows
-- input { 200i64 } output { true }
entry rows (n: i64): bool =
  let xss = map (\i -> map (\x -> (x, i)) (take 4 (rotate i (numbers 11)))) (iota n)
  let is = map (% 3) (iota n)
  let op = map2 least
  let ne = replicate 4 (i32.highest, i64.highest)
  let yss = hist op ne 3 is xss
  let zss = tabulate 3 (\b -> reduce op ne (map2 (\i xs -> if i == b then xs else ne) is xss))
  in and (map2 (\ys zs -> and (map2 (\y z -> y.0 == z.0 && y.1 == z.1) ys zs)) yss zss)

-- The least bytes and their indices: the largest byte is neutral.
-- ==
-- entry: bytes
-- input { [5u8,3u8] [0i64,1i64] [0i64,1i64,0i64] [7u8,1u8,2u8] } output { [2u8,1u8] [2i64,1i64] }
entry bytes [m] [n] (us: *[m]u8) (js: *[m]i64) (is: [n]i64) (vs: [n]u8): ([m]u8, [m]i64) =
  let least (a, i) (b, j) =
    let c = u8.min a b in (c, if c == b then (if c == a then i64.min i j else j) else i)
  in unzip (reduce_by_index (zip us js) least (u8.highest, i64.highest) is (zip vs (iota n)))
