-- Updates at all ranks.
-- ==
-- entry: a
-- input { [[1,2],[3,4]] } output { [[1,0],[3,4]] }
entry a (x: *[][]i32) = x with [0,1] = 0
-- ==
-- entry: b
-- input { [[1,2],[3,4]] } output { [[1,2],[9,9]] }
entry b [m] (x: *[][m]i32) = x with [1] = replicate m 9
-- ==
-- entry: c
-- input { [[1,2],[3,4]] } output { [[7,2],[8,4]] }
entry c [n] (x: *[n][]i32) = let c : [n]i32 = map (\i -> 7 + i32.i64 i) (iota n) in x with [:,0] = c
-- ==
-- entry: d
-- input { [1,2,3,4,5,6] } output { [0,2,0,4,0,6] }
entry d (x: *[]i32) = let v = replicate 3 0 in x with [::2] = v
-- ==
-- entry: e
-- input { [1,2,3,4] } output { [4,3,2,1] }
entry e [n] (x: *[n]i32) = let y = copy x in x with [0:n] = y[::-1]
-- ==
-- entry: f
-- input { [1,2,3,4] } output { [1,1,2,3] }
entry f [n] (x: *[n]i32) = let y = copy x[0:n-1] in x with [1:n] = y
-- ==
-- entry: g
-- input { 3i64 } output { [[0i64,1i64,2i64],[1i64,2i64,3i64],[2i64,3i64,4i64]] }
entry g (n: i64) = loop m = replicate n (replicate n 0i64) for i < n do loop m for j < n do m with [i,j] = i + j
-- ==
-- entry: h
-- input { [1,2,3] } output { [2,4,6] [1,2,3] }
entry h [n] (x: [n]i32) = let y = loop y = copy x for i < n do let y[i] = y[i] * 2 in y in (y, x)
-- ==
-- entry: i
-- input { [0] } output { [0] }
entry i (x: *[]i32) = x
-- ==
-- entry: k
-- input { [1,2,3] [true,false,true] } output { [9,2,3] [false,false,true] }
entry k [n] (x: *[n]i32) (b: *[n]bool) = let z = zip x b in unzip (copy z with [0] = (9, false))
-- ==
-- entry: l
-- input { 5i64 } output { [0i64,1i64,1i64,2i64,3i64] }
entry l (n: i64) = let f = replicate n 0i64 let f[1] = 1 in loop f for i in 2..<n do let f[i] = f[i-1] + f[i-2] in f
-- ==
-- entry: m
-- input { [[[1,2],[3,4]],[[5,6],[7,8]]] } output { [[[1,2],[3,4]],[[5,0],[7,0]]] }
entry m (x: *[][][]i32) = x with [1,:,1] = [0,0]
-- ==
-- entry: n
-- input { [[1,2,3],[4,5,6]] } output { [[5,2,3],[7,5,6]] }
entry n [n][m] (x: *[n][m]i32) = map (\(r: [m]i32) -> let r' = copy r let r'[0] = r[1] + r[2] - (if r[0] == 1 then 0 else 4) in r') x
-- ==
-- entry: o
-- input { [3,1,2] } output { [1,2,3] }
entry o [n] (x: *[n]i32) =
  loop x for i < n do
    loop x for j < n - 1 do
      if x[j] > x[j+1] then let t = x[j] let x[j] = x[j+1] let x[j+1] = t in x else x
-- ==
-- entry: p
-- input { [1,2,3,4] } output { [1,20,3,40] }
entry p (x: *[]i32) = loop x for i in [1i64,3i64] do x with [i] = x[i] * 10
-- ==
-- entry: q
-- input { [1,2] [3,4] } output { [0,2] [3,0] }
entry q (x: *[]i32) (y: *[]i32) = (x with [0] = 0, y with [1] = 0)
-- ==
-- entry: r
-- input { true [1,2] } output { [0,2] }
-- input { false [1,2] } output { [1,2] }
entry r (c: bool) (x: *[]i32) = if c then x with [0] = 0 else x
-- ==
-- entry: s
-- input { 2i64 [[1,2],[3,4],[5,6]] } output { [[1,2],[3,4],[1,2]] }
entry s (i: i64) (x: *[][2]i32) = let r = copy x[0] in x with [i] = r
-- ==
-- entry: t
-- input { [1,2,3,4,5] } output { [1,3,6,10,15] }
entry t [n] (x: *[n]i32) = loop x for i in 1...n-1 do x with [i] = x[i] + x[i-1]
