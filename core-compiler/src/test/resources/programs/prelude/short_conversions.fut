-- The short names of conversions between i32 and floats; a program may use the names itself.
-- ==
-- entry: real
-- input { [3, -4] } output { [1.5f32, -2f32] [1.5f64, -2f64] }
-- ==
-- entry: truncated
-- input { [2.7, -2.7] } output { [2, -2] [2, -2] }
-- ==
-- entry: renamed
-- input { 5 } output { 6 }

entry real (xs: []i32) = (map (\x -> r32 x / 2) xs, map (\x -> r64 x / 2) xs)

entry truncated (xs: []f64) = (map (\x -> t32 (f32.f64 x)) xs, map t64 xs)

module own = {
  def r32 (x: i32) = x + 1
}

entry renamed (x: i32) =
  let r32 = own.r32
  in r32 x
