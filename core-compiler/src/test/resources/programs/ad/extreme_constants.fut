-- Numbers at the ends of i64 and i32 beside derivatives: what is known of indices must not overflow.
-- ==
-- entry: guarded
-- input { 3i64 } output { 4i64 }
-- input { 9223372036854775807i64 } output { -9223372036854775808i64 }
entry guarded (x: i64) : i64 = if x > i64.lowest then x + 1 else 0

-- ==
-- entry: loops
-- input { [1f64, 2f64, 3f64] 5i64 } output { [6f64, 6f64, 6f64] }
-- input { [1f64, 2f64, 3f64] -5i64 } output { [0f64, 0f64, 0f64] }
entry loops [n] (xs: [n]f64) (k: i64) : [n]f64 =
  vjp (\ys ->
         let zs = loop zs = copy ys for i < n do
           if i - i64.lowest < k + i64.highest && k > i64.lowest then zs with [i] = zs[i] * 2 else zs
         in if k > i64.lowest && k > 0 then 3 * f64.sum zs else 0f64)
      xs 1f64

-- ==
-- entry: narrow
-- input { [1f64, 2f64, 3f64] 2147483647i32 } output { [2f64, 4f64, 6f64] }
-- input { [1f64, 2f64, 3f64] -2147483648i32 } output { [1f64, 1f64, 1f64] }
entry narrow [n] (xs: [n]f64) (k: i32) : [n]f64 =
  vjp (\ys ->
         f64.sum (loop zs = copy ys for i < n do
                    if k + 1 < k && k > i32.lowest + 1 then zs with [i] = zs[i] * zs[i] else zs))
      xs 1f64

-- The least number of iterations of an inner loop isn't more than none.
-- ==
-- entry: inner
-- input { 2f64 1i64 } output { 1024f64 }
-- input { 2f64 -9223372036854775807i64 } output { 1f64 }
entry inner (x: f64) (k: i64) : f64 =
  vjp (\x -> loop y = x for i < 2 do loop y for _j < k + i do y * y) x 1f64

-- What is read lies far from what is written only by sums that wrap around.
-- ==
-- entry: wrapped
-- input { [1f64, 2f64, 3f64, 4f64] 4611686018427387904i64 } output { [24f64, 12f64, 8f64, 6f64] }
-- input { [1f64, 2f64, 3f64, 4f64] 0i64 } output { [24f64, 12f64, 8f64, 6f64] }
entry wrapped [n] (xs: [n]f64) (k: i64) : [n]f64 =
  vjp (\ys -> (loop zs = copy ys for i < n - 1 do
                 zs with [i + 1] = zs[i + 4 * k] * zs[i + 1])[n - 1])
      xs 1f64
