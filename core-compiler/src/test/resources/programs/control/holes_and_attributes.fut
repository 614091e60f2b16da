-- Attributes don't change what a program means; a hole fails when reached.
-- ==
-- entry: attributed
-- input { [1i32, 2i32, 3i32] } output { 12i32 }

-- ==
-- entry: unreached
-- input { 1i32 } output { 1i32 }
-- input { -1i32 } error: hole

entry attributed (xs: []i32) =
  let ys = #[sequential] map (* 2) xs
  in #[unroll] loop acc = 0 for y in ys do acc + y

entry unreached (x: i32) : i32 = if x > 0 then x else ???
