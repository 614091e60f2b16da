-- Needleman and Wunsch's alignment, a diagonal at a time.
-- ==
-- entry: score full
-- input { 2i32 [1u8,2u8,3u8,4u8,5u8,1u8,2u8] [2u8,3u8,3u8,1u8,5u8,2u8,2u8] } auto output
-- input { 3i32 [1u8] [1u8] } auto output
def penalties [n] (a: [n]u8) (b: [n]u8) (i: i64) (j: i64) : i32 = if a[i] % 4 == b[j] % 4 then 3 else -1
def table [n] (gap: i32) (a: [n]u8) (b: [n]u8) : [][]i32 =
  let m = n + 1
  let t = tabulate_2d m m (\i j -> if i == 0 then -gap * i32.i64 j else if j == 0 then -gap * i32.i64 i else 0)
  in loop t for d < 2 * n - 1 do
       let lo = i64.max 0 (d - n + 1)
       let hi = i64.min d (n - 1)
       let (is, js, vs) = unzip3 (map (\k ->
            let i = lo + k
            let j = d - i
            let best = i32.max (t[i, j] + penalties a b i j) (i32.max (t[i, j + 1] - gap) (t[i + 1, j] - gap))
            in (i + 1, j + 1, best)) (iota (hi - lo + 1)))
       in scatter_2d t (zip is js) vs
entry score [n] (gap: i32) (a: [n]u8) (b: [n]u8) : i32 = last (last (table gap a b))
entry full [n] (gap: i32) (a: [n]u8) (b: [n]u8) : [][]i32 = table gap a b
