-- Functions inside functions, with parameters of their own, that capture what is around them.
-- ==
-- entry: captures
-- input { 3i32 [1i32, 2i32] } output { [4i32, 5i32] }

-- ==
-- entry: sized
-- input { [1i32, 2i32] } output { 2i64 [2i32, 4i32] }

-- ==
-- entry: in_lambda
-- input { [1i32, 2i32] } output { [2i32, 6i32] }

-- ==
-- entry: polymorphic
-- input { 1i32 2f32 } output { 1i32 2f32 2f32 1i32 }

entry captures (k: i32) (xs: []i32) =
  let add x = x + k
  let go f = map f xs
  in go add

entry sized (xs: []i32) =
  let double [n] (ys: [n]i32) : (i64, [n]i32) = (n, map (* 2) ys)
  in double xs

entry in_lambda (xs: []i32) =
  map (\x -> let f y = x + y * y in f x) xs

entry polymorphic (x: i32) (y: f32) =
  let swap 'a 'b (a: a) (b: b) = (b, a)
  let (b, a) = swap x y
  let (c, d) = swap b a
  in (a, b, b, c)
