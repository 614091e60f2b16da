-- What is computed of arrays that have another size at each point of a map.

def steps [n] (xs: [n]f64) (starts: []i64) (sizes: []i64) =
  let parts =
    flatmap (\(s, k) ->
               let seg = xs[s:s + k]
               let p = seg[k / 2]
               let (lt, eq, gt) = partition2 (< p) (== p) seg
               in lt ++ eq ++ gt)
            (zip starts sizes)
  in parts

-- | One step of quicksort: each part is divided by its middle element.
-- ==
-- entry: onestep
-- input { [3.0, 1.0, 2.0, 9.0, 8.0, 7.0, 7.0, 5.0, 1.5] [0i64, 4i64, 4i64] }
-- output { [1.0f64, 2.0f64, 3.0f64, 9.0f64, 5.0f64, 1.5f64, 7.0f64, 7.0f64, 8.0f64] }
entry onestep [n][m] (xs: [n]f64) (cuts: [m]i64) : []f64 =
  let ends = tabulate m (\i -> if i + 1 < m then cuts[i + 1] else n)
  let (starts, sizes) = unzip (filter (\(_, k) -> k > 0) (map2 (\a b -> (a, b - a)) cuts ends))
  in steps xs starts sizes

-- | Quicksort.
-- ==
-- entry: qsort
-- input { [3.0, 1.0, 2.0, 9.0, 8.0, 7.0, 7.0, 5.0, 1.5] }
-- output { [1.0f64, 1.5f64, 2.0f64, 3.0f64, 5.0f64, 7.0f64, 7.0f64, 8.0f64, 9.0f64] }
-- input { empty([0]f64) }
-- output { empty([0]f64) }
entry qsort [n] (xs: [n]f64) : []f64 =
  let (xs, _) =
    loop (xs: []f64, segs: [](i64, i64)) = (xs, if n > 1 then [(0, n)] else [])
    while length segs > 0 do
      let piv = map (\(s, k) -> xs[s + k / 2]) segs
      let (lts, eqs) =
        unzip (map2 (\(s, k) p -> (i64.sum (map (\x -> i64.bool (x < p)) xs[s:s + k]),
                                   i64.sum (map (\x -> i64.bool (x == p)) xs[s:s + k]))) segs piv)
      let parts =
        flatmap (\((s, k), p) ->
                   let (lt, eq, gt) = partition2 (< p) (== p) xs[s:s + k]
                   in lt ++ eq ++ gt) (zip segs piv)
      let [q] (places: [q]i64) = flatmap (\(s, k) -> map (+ s) (iota k)) segs
      let ys = scatter (copy xs) places (parts :> [q]f64)
      let next = flatmap (\((s, k), (l, e)) ->
                            filter (\(_, c) -> c > 1) [(s, l), (s + l + e, k - l - e)])
                         (zip segs (zip lts eqs))
      in (ys, next)
  in xs

-- | Scans, maps and two levels of sums.
-- ==
-- entry: nested
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- output { [7597i64, -9223372036854775808i64, 26613i64, 1i64, 42877i64, -9223372036854775808i64] }
-- input { [0i64, 0i64] }
-- output { [-9223372036854775808i64, -9223372036854775808i64] }
-- input { empty([0]i64) }
-- output { empty([0]i64) }
entry nested (ns: []i64) : []i64 =
  map (\n -> let xs = map (\i -> (i * 7 + n) % 11) (iota n)
             let ys = scan (+) 0 xs
             let zs = map (\i -> i64.sum (map (\j -> j * i) (iota i))) xs
             in i64.sum (map2 (*) ys zs) + i64.maximum xs) ns

-- | Rows of rows, and their columns.
-- ==
-- entry: rows
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- output { [[3i64, 12i64, 9i64], [0i64, 0i64, 0i64], [21i64, 70i64, 147i64], [0i64, 1i64, 0i64], [66i64, 210i64, 792i64], [0i64, 0i64, 0i64]] }
entry rows [m] (ns: [m]i64) : [m][3]i64 =
  map (\n -> let xs = map (\i -> [i, i + n, i * n]) (iota n)
             in map i64.sum (transpose xs)) ns

-- | Scatters into rows, some of which leave them.
-- ==
-- entry: ragscat
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- output { [16i64, 0i64, 68i64, 0i64, 196i64, 0i64] }
entry ragscat [m] (ns: [m]i64) : [m]i64 =
  map (\n -> let xs = scatter (replicate n 1) (map (\i -> (i * 5) % (n + 2)) (iota n)) (iota n)
             let r = reverse xs
             in i64.sum (map2 (\a b -> a * 3 + b) xs r)) ns

-- | Histograms with as many bins as elements.
-- ==
-- entry: raghist
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- output { [9i64, 0i64, 121i64, 0i64, 1283i64, 0i64] }
entry raghist [m] (ns: [m]i64) : [m]i64 =
  map (\n -> let h = hist (+) 0 n (map (\i -> (i * i) % (n + 1)) (iota (2 * n))) (iota (2 * n))
             in i64.sum (map2 (*) h (indices h))) ns

-- | Concatenations.
-- ==
-- entry: conc
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- output { [23i64, 0i64, 316i64, 1i64, 1692i64, 0i64] }
entry conc [m] (ns: [m]i64) : [m]i64 =
  map (\n -> let a = map (+ n) (iota n)
             let b = a ++ [n] ++ iota (n / 2)
             in i64.sum (map2 (*) b (indices b))) ns

-- | A nest of two maps.
-- ==
-- entry: twod
-- input { [[3i64, 0i64], [7i64, 1i64], [12i64, 0i64]] }
-- output { [[4i64, 0i64], [12i64, 0i64], [22i64, 0i64]] }
entry twod [m][k] (ns: [m][k]i64) : [m][k]i64 =
  map (map (\n -> i64.sum (map (\i -> i * n % 5) (iota n)))) ns

-- | Branches that differ.
-- ==
-- entry: cond
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- output { [3i64, 0i64, 6i64, 0i64, 506i64, 0i64] }
entry cond [m] (ns: [m]i64) : [m]i64 =
  map (\n -> if n % 2 == 0 then i64.sum (map (\i -> i * i) (iota n))
             else i64.maximum (scan (+) 0 (map (% 3) (iota n)))) ns

-- | A loop changes places with the maps.
-- ==
-- entry: loops
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- output { [25i64, 0i64, 49i64, 0i64, 81i64, 0i64] }
entry loops [m] (ns: [m]i64) : [m]i64 =
  map (\n -> loop s = 0 for t < 4 do s + i64.sum (map (\i -> (i + s) % (t + 3)) (iota n))) ns

-- | One length is negative.
-- ==
-- entry: asserts
-- input { [3i64, 4i64, 8i64] }
-- output { [0i64, 0i64, 10i64] }
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- error: negative size
entry asserts [m] (ns: [m]i64) : [m]i64 =
  map (\n -> i64.sum (iota (n - 3))) ns

-- | One index is out of bounds.
-- ==
-- entry: oob
-- input { [3i64, 0i64, 2i64, 1i64, 3i64, 0i64] [1i64, 2i64, 3i64] }
-- output { [6i64, 0i64, 3i64, 1i64, 6i64, 0i64] }
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] [1i64, 2i64, 3i64] }
-- error: out of bounds
entry oob [m] (ns: [m]i64) (xs: []i64) : [m]i64 =
  map (\n -> i64.sum (map (\i -> xs[i]) (iota n))) ns

-- | Three deep.
-- ==
-- entry: triangle
-- input { 9i64 }
-- output { [0i64, 0i64, 2i64, 8i64, 28i64, 52i64, 82i64, 112i64, 280i64] }
entry triangle (n: i64) : [n]i64 =
  map (\i -> i64.sum (map (\j -> i64.sum (map (\k -> k ^ i) (iota j))) (iota i))) (iota n)

-- | Filters.
-- ==
-- entry: filt
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- output { [4i64, 0i64, 52i64, 1i64, 238i64, 0i64] }
entry filt [m] (ns: [m]i64) : [m]i64 =
  map (\n -> let xs = filter (\i -> i % 3 != n % 3) (iota n)
             in length xs + i64.sum (map2 (*) xs (indices xs))) ns

-- | A loop that updates a row in place.
-- ==
-- entry: upd
-- input { [3i64, 0i64, 7i64, 1i64, 12i64, 0i64] }
-- output { [8i64, 0i64, 112i64, 0i64, 572i64, 0i64] }
entry upd [m] (ns: [m]i64) : [m]i64 =
  map (\n -> let xs = map (* 2) (iota n)
             let ys = loop xs = copy xs for i < n - 1 do xs with [i + 1] = xs[i] + xs[i + 1]
             in i64.sum ys) ns
