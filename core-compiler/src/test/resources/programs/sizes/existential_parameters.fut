-- A parameter may have a size that is given a name in its type only.

def len (xs: ?[n].[n]bool) = length xs

def both (xs: ?[n].([n]bool, [n]i32)) = zip xs.0 xs.1

def area (xs: ?[n][m].[n][m]bool) = length xs * length xs[0]

def with_functions (f: (?[n].[n]bool) -> i64) (g: bool -> ?[n].[n]i32) =
  f [true] + length (g true)

-- ==
-- entry: main
-- input { [true, false] } output { 2i64 [1, 2] 4i64 4i64 [1, 3] }

entry main [n] (xs: [n]bool) =
  ( len xs
  , map (.1) (both (xs, [1, 2] :> [n]i32))
  , area [[true, true], [false, true]]
  , with_functions len (\b -> if b then [1, 2, 3] else [])
  , map (\(row: ?[k].[k]i32) -> row[0]) [[1, 2], [3, 4]] )
