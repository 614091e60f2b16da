-- Arrays of nothing, of sums, of sums with arrays; several dimensions at once.
-- ==
-- entry: of_units
-- input { 3i64 } output { [7i32, 7i32, 7i32] 3i64 }

-- ==
-- entry: unit_loop
-- input { 3i64 } output { 1i32 }

-- ==
-- entry: of_enums
-- input { [0i32, 1i32, 2i32] } output { [10i32, 20i32, 30i32] 1i32 }

-- ==
-- entry: of_sums_with_arrays
-- input { 2i64 } output { [3i32, 0i32] }

-- ==
-- entry: cube
-- input { 2i64 3i64 4i64 } output { 123i64 [[10i64, 11i64, 12i64, 13i64]] [3i64, 2i64, 1i64, 0i64] [[23i64], [123i64]] }

-- ==
-- entry: nested_transpose
-- input { [[[1i32, 2i32], [3i32, 4i32]], [[5i32, 6i32], [7i32, 8i32]]] } output { [[[1i32, 3i32], [2i32, 4i32]], [[5i32, 7i32], [6i32, 8i32]]] }

-- ==
-- entry: of_records_of_arrays
-- input { 2i64 } output { [[0i64, 1i64, 2i64], [1i64, 2i64, 3i64]] [0i64, 1i64] }

-- ==
-- entry: empty_literal
-- input {} output { empty([0]i32) empty([0][2]i32) }

-- ==
-- entry: empty_inside
-- input { 0i64 2i64 } output { empty([0][2]i64) empty([2][0]i64) 0i64 }

entry of_units (n: i64) =
  let us = replicate n ()
  in (map (\() -> 7i32) us, length (map (\_ -> ()) us))

entry unit_loop (n: i64) =
  let () = loop () = () for _i < n do ()
  in 1i32

type colour = #red | #green | #blue

entry of_enums (xs: []i32) =
  let cs = map (\x -> if x == 0 then (#red : colour) else if x == 1 then #green else #blue) xs
  let value (c: colour) : i32 = match c case #red -> 10 case #green -> 20 case #blue -> 30
  in (map value cs, i32.sum (map (\c -> if c == #green then 1 else 0) cs))

entry of_sums_with_arrays (n: i64) =
  let make (i: i64) : (#full ([n]i32) | #none) = if i == 0 then #full (map i32.i64 (map (+ 1) (iota n))) else #none
  in map (\v -> match v case #full xs -> i32.sum xs case #none -> 0) (map make (iota n))

entry cube (a: i64) (b: i64) (c: i64) =
  let xs = tabulate_3d a b c (\i j k -> 100 * i + 10 * j + k)
  in (xs[1, 2, 3], xs[0, 1:2], xs[0, 0, ::-1], xs[:, 2, 3:])

entry nested_transpose (xs: [][][]i32) = map transpose xs

entry of_records_of_arrays (n: i64) =
  let rs = map (\i -> {row = map (+ i) (iota 3), i}) (iota n)
  in (map (.row) rs, map (.i) rs)

entry empty_literal : ([0]i32, [0][2]i32) = ([], [])

entry empty_inside (n: i64) (m: i64) =
  (tabulate_2d n m (+), transpose (tabulate_2d n m (+)), i64.sum (flatten (tabulate_2d n m (+))))
