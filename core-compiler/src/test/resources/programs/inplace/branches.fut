-- An array that one branch updates and the other one returns as it is.
-- ==
-- entry: first
-- input { [1, 2, 3] true } output { [9, 2, 7] }
-- input { [1, 2, 3] false } output { [1, 2, 7] }
-- ==
-- entry: chosen
-- input { [1, 2] 0 } output { [5, 2] 1 }
-- input { [1, 2] 1 } output { [1, 2] 2 }
-- input { [1, 2] 2 } output { [1, 6] 3 }
entry first (xs: *[]i32) (b: bool) : *[]i32 =
  let ys = if b then xs with [0] = 9 else xs
  in ys with [2] = 7

entry chosen (xs: *[]i32) (k: i32) : (*[]i32, i32) =
  let (ys, n) =
    match k
    case 0 -> (xs with [0] = 5, 1)
    case 1 -> (xs, 2)
    case _ -> (xs with [1] = 6, 3)
  in (ys, n)
