-- The maximal segment sum: one reduction of quadruples (best segment, best start, best end, total).
-- ==
-- input { [1i32, -2i32, 3i32, 4i32, -1i32, 5i32, -6i32, 1i32] } output { 11i32 }
-- input { [-1i32, -2i32] } output { 0i32 }
-- input { empty([0]i32) } output { 0i32 }

def join (mssx, misx, mcsx, tsx) (mssy, misy, mcsy, tsy): (i32, i32, i32, i32) =
  ( i32.max mssx (i32.max mssy (mcsx + misy))
  , i32.max misx (tsx + misy)
  , i32.max mcsy (mcsx + tsy)
  , tsx + tsy
  )

def leaf (x: i32) : (i32, i32, i32, i32) = (i32.max x 0, i32.max x 0, i32.max x 0, x)

def main (xs: []i32) : i32 =
  (reduce join (0, 0, 0, 0) (map leaf xs)).0
