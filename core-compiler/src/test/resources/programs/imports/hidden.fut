-- What an imported file imports is not seen here, unless it opens it.
-- ==
-- error: Unknown name "double"

import "lib/triple"

def main (x: i32) : i32 = double x
