-- Sequential folds and repeated functions.
-- ==
-- entry: folds
-- input { [1i32, 2i32, 3i32] } output { 123i32 321i32 }

-- ==
-- entry: repeated
-- input { 1i32 } output { 16i32 128i32 128i32 }

entry folds (xs: []i32) = (foldl (\a x -> 10 * a + x) 0 xs, foldr (\x a -> 10 * a + x) 0 xs)
entry repeated (x: i32) =
  (iterate 4 (* 2) x, iterate_while (< 100) (* 2) x, iterate_until (> 100) (* 2) x)
