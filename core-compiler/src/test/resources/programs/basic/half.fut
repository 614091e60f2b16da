-- Half precision.
-- ==
-- input { 1.5f16 2f16 } output { 3.5f16 3f16 1.5f32 true }

def main (x: f16) (y: f16) = (x + y, x * y, f32.f16 x, x < y)
