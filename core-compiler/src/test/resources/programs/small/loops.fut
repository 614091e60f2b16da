-- ==
-- entry: collatz
-- input { 27 } output { 111 }
-- ==
-- entry: fibs
-- input { 10i64 } output { [0i64,1i64,1i64,2i64,3i64,5i64,8i64,13i64,21i64,34i64] }
-- ==
-- entry: newton
-- input { 2.0 } output { 1.4142135 }
-- ==
-- entry: forin
-- input { [1,2,3] } output { 321 }
-- ==
-- entry: sieve
-- input { 30i64 } output { [2i64,3i64,5i64,7i64,11i64,13i64,17i64,19i64,23i64,29i64] }
entry collatz (n: i32) = (loop (n, c) = (n, 0) while n != 1 do if n % 2 == 0 then (n / 2, c + 1) else (3 * n + 1, c + 1)).1
entry fibs (n: i64) : [n]i64 =
  let arr = replicate n 0
  let arr = if n > 1 then arr with [1] = 1 else arr
  in loop arr for i in 2..<n do arr with [i] = arr[i-1] + arr[i-2]
entry newton (x: f64) : f64 = loop y = x for _i < 20i32 do 0.5 * (y + x / y)
entry forin (xs: []i32) = (loop (acc, p) = (0, 1) for x in xs do (acc + x * p, p * 10)).0
entry sieve (n: i64) : []i64 =
  let flags = replicate n true
  let flags = loop flags for i in 2..<n do
    if flags[i] && i * i < n
    then let k = (n - i * i + i - 1) / i
         in scatter flags (map (\j -> i * i + j * i) (iota k)) (replicate k false)
    else flags
  in filter (\i -> i >= 2 && flags[i]) (iota n)
