-- Histograms with each kind of operator, and their derivatives, for configs/paper/histograms.json.

-- | Numbers that look random, between 0 and 1.
def number (i: i64) : f32 =
  let x = u64.i64 i * 0x9e3779b97f4a7c15
  let x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9
  in f32.u64 (x >> 40) / 16777216

-- | As many values as bins are given, and where they go.
entry make (n: i64) (w: i64) : ([n]i64, [n]f32, [w]f32) =
  (tabulate n (\i -> i64.f32 (number i * f32.i64 w) % w),
   tabulate n (\i -> 0.5 + number (n + i)),
   replicate w 1)

entry add [n] [w] (is: [n]i64) (vs: [n]f32) (bins: [w]f32) =
  reduce_by_index (copy bins) (+) 0 is vs

entry add_ad [n] [w] (is: [n]i64) (vs: [n]f32) (bins: [w]f32) =
  vjp (\(vs, bins) -> add is vs bins) (vs, bins) bins

entry min [n] [w] (is: [n]i64) (vs: [n]f32) (bins: [w]f32) =
  reduce_by_index (copy bins) f32.min f32.inf is vs

entry min_ad [n] [w] (is: [n]i64) (vs: [n]f32) (bins: [w]f32) =
  vjp (\(vs, bins) -> min is vs bins) (vs, bins) bins

entry mul [n] [w] (is: [n]i64) (vs: [n]f32) (bins: [w]f32) =
  reduce_by_index (copy bins) (*) 1 is vs

entry mul_ad [n] [w] (is: [n]i64) (vs: [n]f32) (bins: [w]f32) =
  vjp (\(vs, bins) -> mul is vs bins) (vs, bins) bins
