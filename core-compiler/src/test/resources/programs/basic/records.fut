-- Records and tuples: fields, updates, patterns.
-- ==
-- entry: project
-- input { 1i32 2f64 } output { 2f64 1i32 }

-- ==
-- entry: update
-- input { 1i32 } output { 1i32 7i32 }

-- ==
-- entry: nested
-- input { 1i32 } output { 1i32 5i32 3i32 }

-- ==
-- entry: patterns
-- input { 1i32 2i32 3i32 } output { 6i32 }

type point = {x: i32, y: f64}

entry project (x: i32) (y: f64) =
  let p: point = {x, y}
  in (p.y, p.x)

entry update (a: i32) =
  let r = {a, b = 2i32}
  let s = r with b = 7
  in (s.a, s.b)

entry nested (a: i32) =
  let r = {p = (a, 2i32), q = 3i32}
  let r = r with p.1 = 5
  in (r.p.0, r.p.1, r.q)

entry patterns (a: i32) (b: i32) (c: i32) =
  let ((x, y), {z}) = ((a, b), {z = c})
  in x + y + z
