-- Elements that are read before an array is overwritten, and used after that, inside maps.
-- ==
-- entry: update
-- input { [[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]] } output { [[1i64, 3i64], [3i64, 7i64], [5i64, 11i64]] }
entry update [n] [m] (xss: [n][m]i64) =
  map (\xs -> let own = copy xs
              let x = own[0]
              let own[0] = 0
              in map (+ x) own) xss
-- ==
-- entry: view
-- input { [[[1i64, 2i64], [3i64, 4i64]], [[5i64, 6i64], [7i64, 8i64]]] }
-- output { [[[4i64, 5i64], [12i64, 7i64]], [[12i64, 13i64], [16i64, 11i64]]] }
entry view [n] [m] [k] (xsss: [n][m][k]i64) =
  map (\xss -> let own = copy xss
               let row = own[1]
               let x = row[0]
               let own[1] = replicate k 9
               let own[1, 1] = 4
               in map (map (+ x)) own) xsss
-- ==
-- entry: histogram
-- input { [[0i64, 1i64, 1i64], [1i64, 1i64, 1i64]] } output { [[8i64, 9i64, 7i64], [7i64, 10i64, 7i64]] }
entry histogram [n] [m] (kss: [n][m]i64) =
  map (\ks -> let bins = replicate 3 (ks[0] * 0)
              let before = bins[1] + 7
              let counts = reduce_by_index bins (+) 0 ks (replicate m 1)
              in map (+ before) counts) kss
-- In a loop over all rows at once.
-- ==
-- entry: looping
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [[0i64, 2i64, 12i64], [0i64, 5i64, 24i64]] }
entry looping [n] [m] (xss: [n][m]i64) =
  map (\xs -> loop own = copy xs for i < m do
                let x = own[i]
                let own[i] = 0
                let own[0] = 0
                let factors = loop fs = replicate i 1 for j < i do fs with [j] = fs[j] + j
                in own with [i] = reduce (+) 0 (map2 (\f j -> f * x + j * x * 0) factors (iota i)) + x * i * (i - 1) / 2) xss
