-- Rows of a matrix may be written as strings.
-- ==
-- input { ["ab", "cd", [101u8, 102u8]] } output { ["ace", "bdf"] }

def main (rows: [][]u8) = transpose rows
