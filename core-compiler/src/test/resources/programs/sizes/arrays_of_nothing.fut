-- An array of `()` has a size like any other, also where only the value tells it.

def marks (n: i64) : ?[k].[k]() = replicate (n + 1) ()

def either (n: i64) = if n > 3 then marks n else replicate n ()

-- ==
-- entry: returned chosen kept branches
-- input { 4i64 } output { 5i64 }

entry returned (n: i64) = length (marks n)

entry chosen (n: i64) = length (either n)

entry kept (n: i64) = length (filter (const true) (either n))

entry branches (n: i64) = length (map (const 1i32) (marks n))

-- ==
-- entry: grown
-- input { 4i64 } output { 5i64 6i64 }

entry grown (n: i64) =
  let (xs, k) = loop (xs, k) = (marks 0, 0) for i < n do (xs ++ [()], k + i)
  in (length xs, k)

-- A size that no data has, next to an array of another size.

module type chain = {
  type chain [n] 'a
  val link [n] 'a : [n]a -> chain [n] a
  val links [n] 'a : chain [n] a -> i64
}

module chain : chain = {
  type chain [n] 'a = {size: [n](), ring: [n + 1]a}
  def link [n] 'a (xs: [n]a) : chain [n] a =
    {size = rep (), ring = sized (n + 1) (xs ++ [xs[0]])}
  def links [n] 'a (_: chain [n] a) = n
}

module type rope = {
  type~ rope
  val of [n] : [n]i32 -> rope
  val long : rope -> i64
}

module rope : rope = {
  type~ rope = ?[n].chain.chain [n] i32
  def of [n] (xs: [n]i32) = chain.link xs
  def long (r: rope) : i64 = chain.links r
}

-- ==
-- entry: linked hidden
-- input { [3, 4, 5] } output { 3i64 }

entry linked (xs: []i32) = chain.links (chain.link xs)

entry hidden (xs: []i32) = rope.long (rope.of xs)

-- ==
-- entry: given
-- input { 7 } output { 8 }

entry given () (x: i32) : i32 = x + 1

-- ==
-- entry: summed
-- input { 7i64 } output { 7i64 [1i32, 1, 1] }

entry summed (n: i64) =
  let f () () = ()
  let tag : #none | #some () = #some (reduce f () (replicate n ()))
  let one = match tag case #none -> 0i32 case #some () -> 1i32
  in (length (scan f () (replicate n ())), replicate 3 one)

-- ==
-- entry: nothing
-- input { 7 } output { 7 }

entry nothing (p: {a: (), b: i32}) = ((), p.b, p.a)
