-- Reduce, scan and reduce_by_index with the operators on which their derivatives are measured
-- in "Reverse-Mode AD of Reduce-by-Index and Scan" (Figures 8 to 10). Each entry NAME has an entry
-- NAME_ad that returns the results and their vjp; its last arguments are the results' adjoints.

def add2 [d] (a: [d]f32) (b: [d]f32) = map2 (+) a b
def mul2 [d] (a: [d]f32) (b: [d]f32) = map2 (*) a b
def min2 [d] (a: [d]f32) (b: [d]f32) = map2 f32.min a b

-- | Composition of the functions x -> b + c x.
def linear (b1: f32, c1: f32) (b2: f32, c2: f32) = (b2 + c2 * b1, c2 * c1)

-- | Of all pairs of different elements the sum of their products, and the sum.
def sum_of_products (p1: f32, s1: f32) (p2: f32, s2: f32) = (p1 + p2 + s1 * s2, s1 + s2)

def saturated (a: f32) (b: f32) = f32.min (a + b) 100

type row2 't = (t, t)
type row3 't = (t, t, t)
type row5 't = (t, t, t, t, t)

def times2 (a0: f32, a1: f32) ((b00, b01), (b10, b11)): row2 f32 =
  (a0 * b00 + a1 * b10, a0 * b01 + a1 * b11)

def matmul2 (a: row2 (row2 f32)) (b: row2 (row2 f32)) = (times2 a.0 b, times2 a.1 b)

def times3 (a: row3 f32) (b: row3 (row3 f32)): row3 f32 =
  (a.0 * b.0.0 + a.1 * b.1.0 + a.2 * b.2.0
  , a.0 * b.0.1 + a.1 * b.1.1 + a.2 * b.2.1
  , a.0 * b.0.2 + a.1 * b.1.2 + a.2 * b.2.2)

def matmul3 (a: row3 (row3 f32)) (b: row3 (row3 f32)) = (times3 a.0 b, times3 a.1 b, times3 a.2 b)

def column5 (a: row5 f32) (b0: f32) (b1: f32) (b2: f32) (b3: f32) (b4: f32) =
  a.0 * b0 + a.1 * b1 + a.2 * b2 + a.3 * b3 + a.4 * b4

def times5 (a: row5 f32) (b: row5 (row5 f32)): row5 f32 =
  (column5 a b.0.0 b.1.0 b.2.0 b.3.0 b.4.0
  , column5 a b.0.1 b.1.1 b.2.1 b.3.1 b.4.1
  , column5 a b.0.2 b.1.2 b.2.2 b.3.2 b.4.2
  , column5 a b.0.3 b.1.3 b.2.3 b.3.3 b.4.3
  , column5 a b.0.4 b.1.4 b.2.4 b.3.4 b.4.4)

def matmul5 (a: row5 (row5 f32)) (b: row5 (row5 f32)) =
  (times5 a.0 b, times5 a.1 b, times5 a.2 b, times5 a.3 b, times5 a.4 b)

def one2: row2 (row2 f32) = ((1, 0), (0, 1))
def one3: row3 (row3 f32) = ((1, 0, 0), (0, 1, 0), (0, 0, 1))

def one5: row5 (row5 f32) =
  ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 0, 1))

def zipped2 [n] ((a, b), (c, d)): [n]row2 (row2 f32) = zip (zip a b) (zip c d)

def zipped3 [n] (m: row3 (row3 ([n]f32))) =
  zip3 (zip3 m.0.0 m.0.1 m.0.2) (zip3 m.1.0 m.1.1 m.1.2) (zip3 m.2.0 m.2.1 m.2.2)

def zipped5 [n] (m: row5 (row5 ([n]f32))) =
  let row (r: row5 ([n]f32)) = zip5 r.0 r.1 r.2 r.3 r.4
  in zip5 (row m.0) (row m.1) (row m.2) (row m.3) (row m.4)

def unzipped2 [n] (m: [n]row2 (row2 f32)): row2 (row2 ([n]f32)) =
  let (a, b) = unzip m in (unzip a, unzip b)

def unzipped3 [n] (m: [n]row3 (row3 f32)): row3 (row3 ([n]f32)) =
  let (a, b, c) = unzip3 m in (unzip3 a, unzip3 b, unzip3 c)

def unzipped5 [n] (m: [n]row5 (row5 f32)): row5 (row5 ([n]f32)) =
  let (a, b, c, d, e) = unzip5 m
  in (unzip5 a, unzip5 b, unzip5 c, unzip5 d, unzip5 e)

-- Maps, to compare with.

entry map_linear [n] (xs: [n]f32): [n]f32 = map (\x -> 2 * x + 1) xs
entry map_linear_ad [n] (xs: [n]f32) (ys: [n]f32) = vjp2 map_linear xs ys

-- Reductions.

entry reduce_add [n] (xs: [n]f32) = reduce (+) 0 xs
entry reduce_add_ad [n] (xs: [n]f32) (y: f32) = vjp2 reduce_add xs y
entry reduce_min [n] (xs: [n]f32) = reduce f32.min f32.inf xs
entry reduce_min_ad [n] (xs: [n]f32) (y: f32) = vjp2 reduce_min xs y
entry reduce_mul [n] (xs: [n]f32) = reduce (*) 1 xs
entry reduce_mul_ad [n] (xs: [n]f32) (y: f32) = vjp2 reduce_mul xs y

entry reduce_linear [n] (bs: [n]f32) (cs: [n]f32) = reduce linear (0, 1) (zip bs cs)

entry reduce_linear_ad [n] (bs: [n]f32) (cs: [n]f32) (b: f32) (c: f32) =
  vjp2 (\(bs, cs) -> reduce_linear bs cs) (bs, cs) (b, c)

entry reduce_sum_of_products [n] (ps: [n]f32) (ss: [n]f32) =
  reduce sum_of_products (0, 0) (zip ps ss)

entry reduce_sum_of_products_ad [n] (ps: [n]f32) (ss: [n]f32) (p: f32) (s: f32) =
  vjp2 (\(ps, ss) -> reduce_sum_of_products ps ss) (ps, ss) (p, s)

entry reduce_saturated [n] (xs: [n]f32) = reduce saturated 0 xs
entry reduce_saturated_ad [n] (xs: [n]f32) (y: f32) = vjp2 reduce_saturated xs y

-- The rows of the argument are the components of the vectors.
entry reduce_map2_mul [d] [n] (xs: [d][n]f32) = reduce mul2 (replicate d 1) (transpose xs)
entry reduce_map2_mul_ad [d] [n] (xs: [d][n]f32) (y: [d]f32) = vjp2 reduce_map2_mul xs y

entry reduce_matmul2 [n] (m: row2 (row2 ([n]f32))) = reduce matmul2 one2 (zipped2 m)

entry reduce_matmul2_ad [n] (m: row2 (row2 ([n]f32))) (y: row2 (row2 f32)) =
  vjp2 reduce_matmul2 m y

entry reduce_matmul3 [n] (m: row3 (row3 ([n]f32))) = reduce matmul3 one3 (zipped3 m)

entry reduce_matmul3_ad [n] (m: row3 (row3 ([n]f32))) (y: row3 (row3 f32)) =
  vjp2 reduce_matmul3 m y

entry reduce_matmul5 [n] (m: row5 (row5 ([n]f32))) = reduce matmul5 one5 (zipped5 m)

entry reduce_matmul5_ad [n] (m: row5 (row5 ([n]f32))) (y: row5 (row5 f32)) =
  vjp2 reduce_matmul5 m y

-- Scans.

entry scan_add [n] (xs: [n]f32) = scan (+) 0 xs
entry scan_add_ad [n] (xs: [n]f32) (ys: [n]f32) = vjp2 scan_add xs ys
entry scan_min [n] (xs: [n]f32) = scan f32.min f32.inf xs
entry scan_min_ad [n] (xs: [n]f32) (ys: [n]f32) = vjp2 scan_min xs ys
entry scan_mul [n] (xs: [n]f32) = scan (*) 1 xs
entry scan_mul_ad [n] (xs: [n]f32) (ys: [n]f32) = vjp2 scan_mul xs ys

entry scan_linear [n] (bs: [n]f32) (cs: [n]f32) = unzip (scan linear (0, 1) (zip bs cs))

entry scan_linear_ad [n] (bs: [n]f32) (cs: [n]f32) (b: [n]f32) (c: [n]f32) =
  vjp2 (\(bs, cs) -> scan_linear bs cs) (bs, cs) (b, c)

entry scan_sum_of_products [n] (ps: [n]f32) (ss: [n]f32) =
  unzip (scan sum_of_products (0, 0) (zip ps ss))

entry scan_sum_of_products_ad [n] (ps: [n]f32) (ss: [n]f32) (p: [n]f32) (s: [n]f32) =
  vjp2 (\(ps, ss) -> scan_sum_of_products ps ss) (ps, ss) (p, s)

entry scan_saturated [n] (xs: [n]f32) = scan saturated 0 xs
entry scan_saturated_ad [n] (xs: [n]f32) (ys: [n]f32) = vjp2 scan_saturated xs ys

entry scan_map2_mul [d] [n] (xs: [d][n]f32) =
  transpose (scan mul2 (replicate d 1) (transpose xs))

entry scan_map2_mul_ad [d] [n] (xs: [d][n]f32) (ys: [d][n]f32) = vjp2 scan_map2_mul xs ys

entry scan_matmul2 [n] (m: row2 (row2 ([n]f32))) = unzipped2 (scan matmul2 one2 (zipped2 m))

entry scan_matmul2_ad [n] (m: row2 (row2 ([n]f32))) (y: row2 (row2 ([n]f32))) =
  vjp2 (\m -> scan_matmul2 m) m y

entry scan_matmul3 [n] (m: row3 (row3 ([n]f32))) = unzipped3 (scan matmul3 one3 (zipped3 m))

entry scan_matmul3_ad [n] (m: row3 (row3 ([n]f32))) (y: row3 (row3 ([n]f32))) =
  vjp2 (\m -> scan_matmul3 m) m y

entry scan_matmul5 [n] (m: row5 (row5 ([n]f32))) = unzipped5 (scan matmul5 one5 (zipped5 m))

entry scan_matmul5_ad [n] (m: row5 (row5 ([n]f32))) (y: row5 (row5 ([n]f32))) =
  vjp2 (\m -> scan_matmul5 m) m y

-- Histograms of m bins; with vectors, the rows of the argument are elements.

entry hist_add [n] (m: i64) (is: [n]i64) (xs: [n]f32) = hist (+) 0 m is xs

entry hist_add_ad [n] [m] (k: i64) (is: [n]i64) (xs: [n]f32) (ys: [m]f32) =
  vjp2 (hist_add m is) xs ys

entry hist_min [n] (m: i64) (is: [n]i64) (xs: [n]f32) = hist f32.min f32.inf m is xs

entry hist_min_ad [n] [m] (k: i64) (is: [n]i64) (xs: [n]f32) (ys: [m]f32) =
  vjp2 (hist_min m is) xs ys

entry hist_mul [n] (m: i64) (is: [n]i64) (xs: [n]f32) = hist (*) 1 m is xs

entry hist_mul_ad [n] [m] (k: i64) (is: [n]i64) (xs: [n]f32) (ys: [m]f32) =
  vjp2 (hist_mul m is) xs ys

entry hist_map2_add [n] [d] (m: i64) (is: [n]i64) (xs: [n][d]f32) =
  hist add2 (replicate d 0) m is xs

entry hist_map2_add_ad [n] [d] [m] (k: i64) (is: [n]i64) (xs: [n][d]f32) (ys: [m][d]f32) =
  vjp2 (hist_map2_add m is) xs ys

entry hist_map2_min [n] [d] (m: i64) (is: [n]i64) (xs: [n][d]f32) =
  hist min2 (replicate d f32.inf) m is xs

entry hist_map2_min_ad [n] [d] [m] (k: i64) (is: [n]i64) (xs: [n][d]f32) (ys: [m][d]f32) =
  vjp2 (hist_map2_min m is) xs ys

entry hist_map2_mul [n] [d] (m: i64) (is: [n]i64) (xs: [n][d]f32) =
  hist mul2 (replicate d 1) m is xs

entry hist_map2_mul_ad [n] [d] [m] (k: i64) (is: [n]i64) (xs: [n][d]f32) (ys: [m][d]f32) =
  vjp2 (hist_map2_mul m is) xs ys

entry hist_sum_of_products [n] (m: i64) (is: [n]i64) (ps: [n]f32) (ss: [n]f32) =
  unzip (hist sum_of_products (0, 0) m is (zip ps ss))

entry hist_sum_of_products_ad [n] [m] (k: i64) (is: [n]i64) (ps: [n]f32) (ss: [n]f32)
                              (p: [m]f32) (s: [m]f32) =
  vjp2 (\(ps, ss) -> hist_sum_of_products m is ps ss) (ps, ss) (p, s)

entry hist_saturated [n] (m: i64) (is: [n]i64) (xs: [n]f32) = hist saturated 0 m is xs

entry hist_saturated_ad [n] [m] (k: i64) (is: [n]i64) (xs: [n]f32) (ys: [m]f32) =
  vjp2 (hist_saturated m is) xs ys
