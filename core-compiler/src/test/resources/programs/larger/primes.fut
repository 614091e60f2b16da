-- The sieve of Eratosthenes, growing by squares.
-- ==
-- input { 30i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64, 23i64, 29i64] }

def main (n: i64) : []i64 =
  let (acc, _) =
    loop (acc, c) = ([], 2) while c < n + 1 do
      let c2 = i64.min (c * c) (n + 1)
      let is = tabulate (c2 - c) (+ c)
      let fresh =
        let prime x = all (\p -> x % p != 0) acc
        in filter prime is
      in (acc ++ fresh, c2)
  in acc
