-- Radix sort by bits, stable.
-- ==
-- entry: sort
-- input { [5u32, 1u32, 9u32, 1u32, 0u32] } output { [0u32, 1u32, 1u32, 5u32, 9u32] }
-- input { empty([0]u32) } output { empty([0]u32) }
def step [n] (xs: [n]u32) (b: i32) : [n]u32 =
  let bits = map (\x -> i64.u32 ((x >> u32.i32 b) & 1)) xs
  let inv = map (1 -) bits
  let ps0 = scan (+) 0 inv
  let ps1 = scan (+) 0 bits
  let offset = reduce (+) 0 inv
  let is = map4 (\b0 p0 p1 i -> if b0 == 1 then p0 - 1 else offset + p1 - 1 + 0 * i) inv ps0 ps1 (iota n)
  in scatter (copy xs) is xs
entry sort [n] (xs: [n]u32) : [n]u32 = loop xs for i < 32 do step xs i
