-- A function's result may have a constant in a field. Whoever updates what it got must not change
-- the constant.

def table = [1i32, 2, 3]

def with_table (x: i32) = {table, x}

-- ==
-- entry: updated
-- input { 1 } output { 2 [5, 2, 3] [1, 2, 3] [1, 2, 3] }

entry updated (x: i32) =
  let r = with_table x
  in (table[1], r.table with [0] = 5, table, (with_table x).table)

-- ==
-- entry: in_a_loop
-- input { 3 } output { [4, 2, 3] [1, 2, 3] }

entry in_a_loop (n: i32) =
  (loop t = (with_table n).table for _i < n do t with [0] = t[0] + 1, table)

def maybe (x: i32) : #some ([3]i32) | #none = if x > 0 then #some table else #none

-- ==
-- entry: in_a_sum
-- input { 1 } output { [6, 2, 3] [1, 2, 3] }

entry in_a_sum (x: i32) =
  match maybe x
  case #some t -> (t with [0] = 6, table)
  case #none -> (copy table, copy table)

def apply '^a '^b (f: a -> b) (x: a) = f x

-- ==
-- entry: through_a_function inner lambda
-- input { 3 } output { [8, 2, 3] [1, 2, 3] }

entry through_a_function (x: i32) = ((apply with_table x).table with [0] = 8, table)

entry inner (x: i32) =
  let f y = (table, x + y)
  in ((f x).0 with [0] = 8, table)

entry lambda (x: i32) = ((apply (\y -> (y, table)) x).1 with [0] = 8, table)

def record = {xs = [1i32, 2, 3], y = 1i32}

def whole (_: i32) = record

-- ==
-- entry: of_a_record
-- input { 1 } output { 2 }

entry of_a_record (x: i32) = (whole x).xs[x]

type env = {table: [3]i32, sum: i32}

def step (e: env) (x: i32) : env = e with sum = e.sum + x * e.table[1]

def start = step {table, sum = 1}

-- ==
-- entry: curried
-- input { 4 } output { 9 [7, 2, 3] [1, 2, 3] }

entry curried (x: i32) = let e = start x in (e.sum, e.table with [0] = 7, table)

def pair = \(x: i32) -> (x, table)

-- ==
-- entry: of_a_constant_function of_a_local_name of_a_part
-- input { 3 } output { [8, 2, 3] [1, 2, 3] }

entry of_a_constant_function (x: i32) = ((pair x).1 with [0] = 8, table)

entry of_a_local_name (x: i32) =
  let t = table
  let f = \y -> (t, x + y)
  let (a, _) = f 1
  in (a with [0] = 8, table)

def functions = {one = \(x: i32) -> [x, 2, 3], two = \(_: i32) -> table}

def results (x: i32) = {one = functions.one x, two = functions.two x}

entry of_a_part (x: i32) =
  let r = results x
  in (r.two with [0] = 8, table)

def pick (b: [3]i32) (c: [3]i32) = if c[0] > 5 then c else b

def picked = pick table

def constantly = const table >-> id

-- ==
-- entry: of_a_partial_application of_a_local_one of_a_composition
-- input { 3 } output { [9, 2, 3] [1, 2, 3] }

entry of_a_partial_application (x: i32) = (picked [x, x, x] with [0] = 9, table)

entry of_a_local_one (x: i32) =
  let u = table
  let f = pick u
  in (f [x, x, x] with [0] = 9, table)

entry of_a_composition (x: i32) = (constantly x with [0] = 9, table)
