-- Minima and maxima where elements equal the neutral element, which counts as one before the first:
-- such elements have derivative 0, in every mode, by whatever rule.

-- ==
-- entry: reduce_min reduce_min_jvp reduce_min_map
-- input { [f64.inf, f64.inf] } output { [0f64, 0f64] }
-- input { [f64.inf, 3f64, f64.inf, 3f64] } output { [0f64, 1f64, 0f64, 0f64] }
-- input { empty([0]f64) } output { empty([0]f64) }

-- ==
-- entry: reduce_max reduce_max_jvp reduce_max_pairs
-- input { [0f64, 0f64] } output { [0f64, 0f64] }
-- input { [0f64, 2f64, 0f64, 2f64] } output { [0f64, 1f64, 0f64, 0f64] }

-- ==
-- entry: scan_max scan_max_jvp scan_max_pairs
-- input { [0f64, 0f64] } output { [[0f64, 0f64], [0f64, 0f64]] }
-- input { [0f64, 2f64] } output { [[0f64, 0f64], [0f64, 1f64]] }
-- input { [0f64, 2f64, 2f64, 0f64, 3f64] }
-- output { [[0f64, 0f64, 0f64, 0f64, 0f64], [0f64, 1f64, 0f64, 0f64, 0f64], [0f64, 1f64, 0f64, 0f64, 0f64],
--           [0f64, 1f64, 0f64, 0f64, 0f64], [0f64, 0f64, 0f64, 0f64, 1f64]] }

-- ==
-- entry: hist_max hist_max_jvp hist_max_rows hist_max_onto hist_max_pairs
-- input { [0f64, 1f64, 0f64, 0f64, 1f64, 4f64] }
-- output { [[0f64, 0f64, 0f64, 0f64, 0f64, 0f64], [0f64, 1f64, 0f64, 0f64, 0f64, 0f64]] }

-- ==
-- entry: few_max few_max_jvp
-- input { [0f64, 1f64] } output { [[0f64, 0f64], [0f64, 0f64], [0f64, 0f64], [0f64, 0f64], [0f64, 0f64], [0f64, 1f64]] }
-- input { [2f64, 2f64] } output { [[0f64, 0f64], [0f64, 0f64], [0f64, 0f64], [0f64, 0f64], [0f64, 0f64], [1f64, 0f64]] }

def onehot (n: i64) (i: i64) : [n]f64 = tabulate n (\j -> if i == j then 1 else 0)

def fwd [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [m][n]f64 =
  transpose (jmp f x (tabulate n (onehot n)))

def rev [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [m][n]f64 =
  mjp f x (tabulate m (onehot m))

def grads [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [m][n]f64 =
  tabulate m (\i -> vjp f x (onehot m i))

-- the modes that agree: where they don't, the result is NaN
def both [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [m][n]f64 =
  map2 (map2 (\a b -> if a == b then a else f64.nan)) (rev m f x) (grads m f x)

def minimum = reduce f64.min f64.inf
def maximum = reduce f64.max 0

-- beside another operator, which reads it: the rule for all operators
def both_of (m: f64, s: f64) = m + 0 * s
def pair (m1: f64, s1: f64) (m2: f64, s2: f64) = (f64.max m1 m2, s1 + s2 + 0 * (m1 * m2))

entry reduce_min [n] (x: [n]f64) = vjp minimum x 1
entry reduce_min_jvp [n] (x: [n]f64) = map (jvp minimum x) (tabulate n (onehot n))
entry reduce_min_map [n] (x: [n]f64) = vjp (\x -> minimum (map (* 1) x)) x 1
entry reduce_max [n] (x: [n]f64) = vjp maximum x 1
entry reduce_max_jvp [n] (x: [n]f64) = (fwd 1 (\x -> [maximum x]) x)[0]

entry reduce_max_pairs [n] (x: [n]f64) =
  vjp (\x -> both_of (reduce pair (0, 0) (map (\a -> (a, 0)) x))) x 1

entry scan_max [n] (x: [n]f64) = both n (scan f64.max 0) x
entry scan_max_jvp [n] (x: [n]f64) = fwd n (scan f64.max 0) x

entry scan_max_pairs [n] (x: [n]f64) =
  both n (\x -> map both_of (scan pair (0, 0) (map (\a -> (a, 0)) x))) x

def bins (n: i64) = tabulate n (\i -> [0i64, 1, 0, 0, 1, 5][i])

entry hist_max [n] (x: [n]f64) = both 2 (hist f64.max 0 2 (bins n)) x
entry hist_max_jvp [n] (x: [n]f64) = fwd 2 (hist f64.max 0 2 (bins n)) x

entry hist_max_rows [n] (x: [n]f64) =
  both 2 (\x -> flatten (hist (map2 f64.max) [0] 2 (bins n) (map (\a -> [a]) x))
                |> map (\y -> y) |> sized 2) x

entry hist_max_onto [n] (x: [n]f64) =
  both 2 (\x -> reduce_by_index (replicate 2 0.5 with [0] = 0) f64.max 0 (bins n) x) x

entry hist_max_pairs [n] (x: [n]f64) =
  both 2 (\x -> map both_of (hist pair (0, 0) 2 (bins n) (map (\a -> (a, 0)) x))) x

entry few_max [n] (x: [n]f64) = both 6 (hist f64.max 0 6 (replicate n 5)) x
entry few_max_jvp [n] (x: [n]f64) = fwd 6 (hist f64.max 0 6 (replicate n 5)) x
