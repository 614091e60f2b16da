-- Files import files, relative to themselves; each is read once.
-- ==
-- input { 3i32 } output { 18i32 }

-- ==
-- entry: through_module
-- input { 3i32 } output { 6i32 }

import "lib/triple"
module two = import "lib/double"

def main (x: i32) = triple (two.double x)
entry through_module (x: i32) = two.double x
