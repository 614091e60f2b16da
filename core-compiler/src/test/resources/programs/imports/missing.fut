-- ==
-- error: nowhere

import "nowhere"

def main (x: i32) = x
