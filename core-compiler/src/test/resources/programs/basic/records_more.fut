-- Records as programs use them.
type p = {x: i32, y: f32}
type~ q = {p: p, l: []i32}
-- ==
-- entry: a
-- input { 1 2f32 } output { 2i32 2f32 3i32 }
entry a (x: i32) (y: f32) = let r : p = {x, y} let r2 = r with x = r.x + 1 in (r2.x, r2.y, (r2 with x = 3).x)
-- ==
-- entry: b
-- input { 1 2f32 [1,2] } output { 10i32 2f32 [1,2] }
entry b (x: i32) (y: f32) (l: []i32) = let z = {p = {x, y}, l} let z' = z with p.x = 10 in (z'.p.x, z'.p.y, z'.l)
-- ==
-- entry: c
-- input { [1,2] } output { [2,3] [1f32,2f32] }
entry c (l: []i32) = let rs = map (\x -> {x = x + 1, y = f32.i32 x}) l in (map (.x) rs, map (\r -> r.y) rs)
-- ==
-- entry: d
-- input { [1,2] } output { 5i32 }
entry d (l: []i32) = (reduce (\a b -> {s = a.s + b.s, n = a.n + b.n}) {s = 0, n = 0} (map (\x -> {s = x, n = 1}) l)) |> (\r -> r.s + r.n)
-- ==
-- entry: e
-- input { 1 } output { 1i32 2i32 3i32 }
entry e (a: i32) = let t = (a, (a + 1, {z = a + 2})) in (t.0, t.1.0, t.1.1.z)
-- ==
-- entry: f
-- input { [1,2,3] 1i64 9 } output { [1,9,3] }
entry f (l: *[]i32) (i: i64) (v: i32) = let r = {l, k = 1i32} let r = r with l[i] = v in r.l
-- ==
-- entry: g
-- input { [1,2,3] } output { [1,0,3] }
entry g (l: *[]i32) = let r = {a = {b = l}} let r.a.b[1] = 0 in r.a.b
-- ==
-- entry: h
-- input { } output { 3i32 }
entry h = let {x = a, y = {z = b}} = {x = 1, y = {z = 2}} in a + b : i32
-- ==
-- entry: i
-- input { [1,2,3] } output { [3,6,9] }
entry i (l: []i32) = map (\{a, b} -> a + b) (map (\x -> {a = x, b = 2 * x}) l)
-- ==
-- entry: j
-- input { 4 } output { 6i32 24i32 }
entry j (n: i32) = let r = loop r = {s = 0, p = 1} for i < n do {s = r.s + i, p = r.p * (i + 1)} in (r.s, r.p)
entry l (x: i32) : {} = {}
entry m (x: i32) : () = ()
-- ==
-- entry: n
-- input { 3 } output { 3i32 }
entry n (x: i32) = let () = () let _ = x in x
-- ==
-- entry: o
-- input { 3 } output { 9i32 }
entry o (x: i32) = let sq {v} = v * v in sq {v = x}
-- ==
-- entry: pp
-- input { 3 } output { true false }
entry pp (x: i32) = ({a = x, b = x} == {a = 3, b = 3}, (x, 1) == (4, 1))
-- ==
-- entry: numeric
-- input { 3 } output { 7i32 }
entry numeric (x: i32) = let t = {0 = x, 1 = x + 1} in t.0 + t.1
