-- A loop starts with what an outer loop carries, and combines the two. The sizes of both are open
-- then, and are one.

-- Gram-Schmidt: from each column, its parts along the columns before it are taken.
-- ==
-- entry: gram_schmidt
-- input { [[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]] }
-- output { [[0.6, -0.062971], [0.8, 0.047228], [0.0, 0.996896]] }
-- input { empty([0][2]f64) }
-- output { empty([0][2]f64) }
entry gram_schmidt [n][d] (xs: [n][d]f64) : [n][d]f64 =
  let columns = loop t = copy (transpose xs) for j < d do
    let c = loop c = copy t[j] for i < j do
      let b = t[i]
      let part = f64.sum (map2 (*) b c)
      in map2 (\x y -> x - part * y) c b
    let length = f64.sqrt (f64.sum (map (\a -> a * a) c))
    in t with [j] = map (/ length) c
  in transpose columns

-- Three loops, each of which begins with what the one around it carries.
-- ==
-- entry: three
-- input { [1i64, 2i64] }
-- output { [5i64, 10i64] }
entry three [n] (xs: [n]i64) : [n]i64 =
  loop a = xs for _i < 1i64 do
    loop b = a for _j < 1i64 do
      let c = loop c = b for _k < 1i64 do map2 (+) (map2 (+) c b) a
      in map2 (+) c (map2 (+) a b)

-- The inner loop's array grows, and the outer one's with it.
-- ==
-- entry: growing
-- input { [1i64, 2i64] }
-- output { [1i64, 2i64, 1i64, 2i64, 1i64, 2i64, 1i64, 2i64] }
entry growing [n] (xs: [n]i64) : []i64 =
  loop a = xs for _i < 2i64 do
    loop b = a for _j < 1i64 do map2 (\x _ -> x) (b ++ b) (b ++ b)
