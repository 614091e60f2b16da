-- Radix sort, one bit at a time, of any type with a key.
-- ==
-- input { [5u32, 3u32, 9u32, 0u32, 3u32] } output { [0u32, 3u32, 3u32, 5u32, 9u32] }
-- input { empty([0]u32) } output { empty([0]u32) }

-- ==
-- entry: by_key
-- input { [3i32, 1i32, 2i32] [30f64, 10f64, 20f64] } output { [10f64, 20f64, 30f64] }

def step [n] 't (get_bit: i32 -> t -> i32) (xs: [n]t) (bit: i32) : [n]t =
  let bits = map (get_bit bit) xs
  let ones = map i64.i32 bits
  let zeros = map (1 -) ones
  let before_zeros = scan (+) 0 zeros
  let before_ones = scan (+) 0 ones
  let number_of_zeros = if n == 0 then 0 else last before_zeros
  let place = map3 (\one z o -> if one == 0 then z - 1 else number_of_zeros + o - 1)
                   ones before_zeros before_ones
  in scatter (copy xs) place xs

def radix_sort [n] 't (bits: i32) (get_bit: i32 -> t -> i32) (xs: [n]t) : [n]t =
  loop xs for i < bits do step get_bit xs i

def main (xs: []u32) = radix_sort u32.num_bits u32.get_bit xs

entry by_key [n] (ks: [n]i32) (vs: [n]f64) =
  zip ks vs
  |> radix_sort 31 (\b (k, _) -> i32.get_bit b k)
  |> map (.1)
