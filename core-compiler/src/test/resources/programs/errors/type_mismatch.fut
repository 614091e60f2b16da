-- ==
-- error: bool

def main (x: i32) : bool = x + 1
