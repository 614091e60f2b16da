-- It never ends.
-- ==
-- tags { no_cuda no_simulate }
-- input { 1i64 } error: stack overflow

def forever (n: i64) : i64 = 1 + forever (n + 1)

entry main (n: i64) = forever n
