-- Tables of constants are one value, wherever they stand, and nothing overwrites them.
-- ==
-- entry: looked_up
-- input { 17i64 } output { 7i32 -5f32 }
-- input { 0i64 } output { 0i32 -2f32 }

-- ==
-- entry: overwritten
-- input { 2i64 9i32 } output { [0, 1, 9, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9] 145 }

-- ==
-- entry: text
-- input { 20i64 } output { "a text of more than sixteen bytes" 115u8 }

-- ==
-- entry: carried
-- input { 3i64 } output { [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }

-- ==
-- entry: chosen
-- input { true } output { [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }
-- input { false } output { [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }

def table : [20]i32 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
def matrix : [3][6]f32 =
  [[1, -2, 3, -4, 5, -6], [1, 2, 3, 4, 5, 6], [-1.5, -2.5, -3.5, -4.5, -5.5, -6]]

entry looked_up (i: i64) = (table[i], f32.minimum matrix[(i / 8) % 3] + f32.i64 (i / 17) + 4 * f32.bool (i < 8))

entry overwritten (i: i64) (v: i32) =
  let fresh = copy table with [i] = v
  in (fresh, i32.sum table + i32.sum [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] + 35)

entry text (i: i64) =
  let t = "a text of more than sixteen bytes"
  in (copy t, t[i])

entry carried (n: i64) = loop a = copy table for _i < n do map (+ 1) a

entry chosen (b: bool) : *[20]i32 = if b then copy table else replicate 20 0
