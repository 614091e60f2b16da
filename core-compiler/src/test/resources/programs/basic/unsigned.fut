-- Unsigned arithmetic.
-- ==
-- input { 250u8 10u8 } output { 4u8 240u8 25u8 0u8 true 5u8 }
-- input { 10u8 250u8 } output { 4u8 16u8 0u8 10u8 false 245u8 }

def main (x: u8) (y: u8) = (x + y, x - y, x / y, x % y, x > y, -x - 1)
