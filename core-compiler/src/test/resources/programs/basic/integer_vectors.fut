-- Integer arithmetic that runs in vectors: shifts, unsigned numbers, conversions, divisions by powers of two.

-- as many as vectors need
def enough [n] 't (zs: [n]t) = let half = zs ++ zs ++ zs ++ zs in half ++ half

-- ==
-- entry: shifts
-- input { [-8, 7, -1, 1] [1, 31, 32, -1] } output { [-16, -2147483648, -1, -2147483648] [-4, 0, -1, 0] [2147483644u32, 0u32, 4294967295u32, 0u32] }
entry shifts [n] (xs: [n]i32) (ks: [n]i32) =
  unzip3 (take n (map2 (\x k -> (x << k, x >> k, u32.i32 x >> u32.i32 k)) (enough xs) (enough ks)))
-- ==
-- entry: wide
-- input { [-8i64, 7i64, -1i64, 1i64, 81985529216486895i64] [1i64, 63i64, 64i64, -1i64, 7i64] } auto output
entry wide [n] (xs: [n]i64) (ks: [n]i64) =
  unzip3 (take n (map2 (\x k -> (x << k, x >> k, u64.i64 x >> u64.i64 k)) (enough xs) (enough ks)))
-- ==
-- entry: quotients
-- input { [-1, -4, -5, 5, 0, -2147483648] [0u32, 3u32, 4u32, 4294967295u32, 2147483648u32, 7u32] }
-- output { [-1, -1, -2, 1, 0, -536870912] [3, 0, 3, 1, 0, 0] [0, -1, -1, 1, 0, -536870912] [-1, 0, -1, 1, 0, 0]
--          [0u32, 0u32, 1u32, 1073741823u32, 536870912u32, 1u32] [0u32, 3u32, 0u32, 3u32, 0u32, 3u32] }
entry quotients [n] (xs: [n]i32) (ys: [n]u32) =
  let (xs, ys) = (enough xs, enough ys)
  in (take n (map (/ 4) xs), take n (map (% 4) xs), take n (map (// 4) xs), take n (map (%% 4) xs),
      take n (map (/ 4) ys), take n (map (% 4) ys))
-- ==
-- entry: byten
-- input { [0u32, 9u32, 4294967295u32, 4294967286u32] [0u64, 9u64, 18446744073709551615u64, 10u64] }
-- output { [0u32, 0u32, 429496729u32, 429496728u32] [0u32, 9u32, 5u32, 6u32] [0u64, 0u64, 1844674407370955161u64, 1u64] [0u64, 9u64, 5u64, 0u64]
--          [0u32, 0u32, 1u32, 1u32] }
entry byten [n] (xs: [n]u32) (ys: [n]u64) =
  let (xs, ys) = (enough xs, enough ys)
  in (take n (map (/ 10) xs), take n (map (% 10) xs), take n (map (/ 10) ys), take n (map (% 10) ys),
      take n (map (/ 4294967280) xs))
-- ==
-- entry: floats
-- input { [0u32, 1u32, 2147483647u32, 2147483648u32, 4294967295u32, 16777217u32, 4294967167u32] }
-- output { [0f32, 1f32, 2147483648f32, 2147483648f32, 4294967296f32, 16777216f32, 4294967040f32]
--          [0f64, 1f64, 2147483647f64, 2147483648f64, 4294967295f64, 16777217f64, 4294967167f64] }
entry floats [n] (xs: [n]u32) = (take n (map f32.u32 (enough xs)), take n (map f64.u32 (enough xs)))
-- ==
-- entry: truncated
-- input { [1.9f32, -1.9f32, f32.nan, f32.inf, -f32.inf, 3e9f32, -3e9f32, 0f32, 7.5f32, 1e30f32] [1.9, -1.9, f64.nan, f64.inf, -f64.inf, 3e9, -3e9, 0.0, 7.5, 1e30] }
-- output { [1, -1, 0, 0, 0, 2147483647, -2147483648, 0, 7, 2147483647] [1, -1, 0, 0, 0, 2147483647, -2147483648, 0, 7, 2147483647]
--          [1i64, -1i64, 0i64, 0i64, 0i64, 3000000000i64, -3000000000i64, 0i64, 7i64, 9223372036854775807i64]
--          [1i64, -1i64, 0i64, 0i64, 0i64, 3000000000i64, -3000000000i64, 0i64, 7i64, 9223372036854775807i64] }
entry truncated [n] (xs: [n]f32) (ys: [n]f64) =
  let (xs, ys) = (enough xs, enough ys)
  in (take n (map i32.f32 xs), take n (map i32.f64 ys), take n (map i64.f32 xs), take n (map i64.f64 ys))
-- ==
-- entry: orders
-- input { [0u32, 4294967295u32, 2147483648u32, 5u32] [1u32, 1u32, 2147483647u32, 5u32] }
-- output { [1i32, 0i32, 0i32, 0i32] [1i32, 0i32, 0i32, 1i32] }
entry orders [n] (xs: [n]u32) (ys: [n]u32) : ([n]i32, [n]i32) =
  unzip (take n (map2 (\x y -> (if x < y then 1 else 0, if x <= y then 1 else 0)) (enough xs) (enough ys)))
-- ==
-- entry: widened
-- input { [4294967295u32, 1u32] [-1i64, 8589934592i64] } output { [4294967295i64, 1i64] [-1, 0] [4294967295u32, 0u32] }
entry widened [n] (xs: [n]u32) (ys: [n]i64) =
  (take n (map i64.u32 (enough xs)), take n (map i32.i64 (enough ys)), take n (map u32.i64 (enough ys)))
-- ==
-- entry: generator
-- input { [1u32, 2463534242u32, 4294967295u32, 0u32, 123456789u32] } auto output
entry generator [n] (seeds: [n]u32) =
  unzip (map (\s ->
    let s = s ^ (s << 13)
    let s = s ^ (s >> 17)
    let s = s ^ (s << 5)
    in (s, f32.u32 (s >> 8) / 16777216)) (enough seeds))
