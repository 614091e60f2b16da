-- flatmap and flatmap': functions that return an array of its own size for each element.
-- ==
-- entry: parts
-- input { [3i64, 0i64, 2i64, 1i64] }
-- output { [3i64, 0i64, 2i64, 1i64] [true, false, false, true, false, true] [0i64, 3i64, 3i64, 5i64]
--          [0.0f64, 3.0f64, 6.0f64, 0.0f64, 2.0f64, 0.0f64] [6i64, 0i64, 4i64, 2i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]bool) empty([0]i64) empty([0]f64) empty([0]i64) }
-- input { [0i64, 0i64] }
-- output { [0i64, 0i64] empty([0]bool) [0i64, 0i64] empty([0]f64) [0i64, 0i64] }
entry parts (ns: []i64) = flatmap' (\n -> (map (\i -> f64.i64 (i * n)) (iota n), n * 2)) ns

-- ==
-- entry: named
-- input { [3i64, 0i64, 2i64] } output { [0i64, 1i64, 2i64, 0i64, 1i64] }
entry named (ns: []i64) = flatmap iota ns

-- All arrays of one size.
-- ==
-- entry: uniform
-- input { [3.5f64, 4.5f64] } output { [3.5f64, 3.5f64, 4.5f64, 4.5f64] }
entry uniform (xs: []f64) = flatmap (replicate 2) xs

-- Elements that are arrays, tuples and records.
-- ==
-- entry: rows
-- input { [2i64, 0i64, 1i64] } output { [[0i64, 1i64], [10i64, 11i64], [0i64, 1i64]] }
entry rows (ns: []i64) = flatmap (\n -> tabulate_2d n 2 (\i j -> i * 10 + j)) ns
-- ==
-- entry: tuples
-- input { [2i64, 1i64] } output { [0i64, 1i64, 0i64] [2i64, 2i64, 1i64] }
entry tuples (ns: []i64) = flatmap (\n -> map (\i -> {i, n}) (iota n)) ns |> map (\r -> (r.i, r.n)) |> unzip

-- Sizes that depend on what is in the arrays.
-- ==
-- entry: kept
-- input { [[1.0f64, -2.0f64, 3.0f64], [-1.0f64, -1.0f64, -5.0f64], [4.0f64, 5.0f64, 6.0f64]] }
-- output { [2i64, 0i64, 3i64] [1.0f64, 3.0f64, 4.0f64, 5.0f64, 6.0f64] [2.0f64, -7.0f64, 15.0f64] }
entry kept (xss: [][]f64) =
  let (sizes, _, _, data, sums) = flatmap' (\xs -> (filter (> 0) xs, f64.sum xs)) xss
  in (sizes, data, sums)

-- The results belong to the caller.
-- ==
-- entry: consumed
-- input { [2i64, 1i64] } output { [9i64, 1i64, 0i64] [8i64, 1i64] [[7i64, 7i64], [1i64, 1i64]] }
entry consumed (ns: []i64) =
  let (sizes, _, _, data, twice) = flatmap' (\n -> (iota n, replicate 2 n)) ns
  let data[0] = 9
  let sizes[0] = 8
  let twice[0] = replicate 2 7
  in (data, sizes, twice)

-- Within a map, and within each other.
-- ==
-- entry: within
-- input { [[3i64, 0i64], [0i64, 0i64], [1i64, 4i64]] } output { [3i64, 0i64, 6i64] }
entry within (nss: [][]i64) = map (\ns -> i64.sum (flatmap iota ns)) nss
-- ==
-- entry: twofold
-- input { [[3i64, 0i64], [0i64, 0i64], [1i64, 2i64]] } output { [0i64, 1i64, 2i64, 0i64, 0i64, 1i64] }
entry twofold (nss: [][]i64) = flatmap (flatmap iota) nss

-- As in the sieve: all proper multiples below n.
-- ==
-- entry: primes
-- input { 30i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64, 23i64, 29i64] }
entry primes (n: i64) =
  let multiples = flatmap (\i -> map (\j -> (i + 2) * (j + 2)) (iota (n / (i + 2)))) (iota (n - 2))
  let prime = scatter (replicate n true) multiples (map (const false) multiples)
  in filter (\i -> i >= 2 && prime[i]) (iota n)
