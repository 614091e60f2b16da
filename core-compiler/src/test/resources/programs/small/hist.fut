-- ==
-- entry: hist1
-- input { [0i64,1i64,1i64,5i64,-1i64] [1,2,3,4,5] } output { [1,5,0] }
-- ==
-- entry: hist2
-- input { [1i64,1i64] [0i64,1i64] } output { [[0,0],[7,7]] }
-- ==
-- entry: maxes
-- input { [0i64,0i64,1i64] [1.0,3.0,2.0] } output { [3.0, 2.0] }
-- ==
-- entry: accs
-- input { [0i64,2i64,2i64] } output { [1,0,2] }
entry hist1 (is: []i64) (vs: []i32) : [3]i32 = reduce_by_index (replicate 3 0) (+) 0 is vs
entry hist2 (is: []i64) (js: []i64) = reduce_by_index_2d (replicate 2 (replicate 2 0i32)) (+) 0 (zip is js) (map (const 7) is)
entry maxes (is: []i64) (vs: []f64) = hist f64.max (-f64.inf) 2 is vs
entry accs (is: []i64) = scatter_stream (replicate 3 0i32) (\acc i -> write acc i 9) is |> map (\x -> if x == 9 then 1 else 0) |> \xs -> copy xs with [2] = 2
