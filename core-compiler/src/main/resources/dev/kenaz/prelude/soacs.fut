-- | The parallel array operators. An operator that is folded with must be associative and have the
-- given neutral element; nothing checks that.

-- | The function applied to each element.
def map 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x = intrinsics.map f as

-- | The same as `map`.
def map1 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x = intrinsics.map f as

-- | The function applied to the corresponding elements of two arrays.
def map2 'a 'b [n] 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b) : *[n]x =
  intrinsics.map (\(a, b) -> f a b) (intrinsics.zip as bs)

-- | As `map2`, of three arrays.
def map3 'a 'b 'c [n] 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n]x =
  intrinsics.map (\(a, (b, c)) -> f a b c) (intrinsics.zip as (intrinsics.zip bs cs))

-- | As `map2`, of four arrays.
def map4 'a 'b 'c 'd [n] 'x
    (f: a -> b -> c -> d -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n]x =
  intrinsics.map (\((a, b), (c, d)) -> f a b c d)
                 (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs ds))

-- | As `map2`, of five arrays.
def map5 'a 'b 'c 'd 'e [n] 'x
    (f: a -> b -> c -> d -> e -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e)
    : *[n]x =
  intrinsics.map (\((a, b), (c, (d, e))) -> f a b c d e)
                 (intrinsics.zip (intrinsics.zip as bs)
                                 (intrinsics.zip cs (intrinsics.zip ds es)))

-- | All elements combined; the neutral element if there are none.
def reduce [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *a = intrinsics.reduce op ne as

-- | As `reduce`, with an operator that also commutes.
def reduce_comm [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *a = intrinsics.reduce_comm op ne as

-- | Element `i` of the result combines the elements up to and including `i`.
def scan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a = intrinsics.scan op ne as

-- | Element `i` of the result combines the elements before `i`; the first is the neutral element.
def exscan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a =
  let sums = intrinsics.scan op ne as
  in intrinsics.map (\i -> if i == 0 then ne else sums[i - 1]) (intrinsics.iota n)

-- | Combines each value into the destination at its index. An index out of range is ignored. The
-- operator must also commute.
def reduce_by_index 'a [m] [n]
    (dest: *[m]a) (f: a -> a -> a) (ne: a) (is: [n]i64) (as: [n]a) : *[m]a =
  intrinsics.hist_1d dest f ne is as

-- | As `reduce_by_index`, into two dimensions.
def reduce_by_index_2d 'a [k] [m] [n]
    (dest: *[k][m]a) (f: a -> a -> a) (ne: a) (is: [n](i64, i64)) (as: [n]a) : *[k][m]a =
  intrinsics.hist_2d dest f ne is as

-- | As `reduce_by_index`, into three dimensions.
def reduce_by_index_3d 'a [k] [l] [m] [n]
    (dest: *[k][l][m]a) (f: a -> a -> a) (ne: a) (is: [n](i64, i64, i64)) (as: [n]a)
    : *[k][l][m]a =
  intrinsics.hist_3d dest f ne is as

-- | `reduce_by_index` into `k` copies of the neutral element.
def hist 'a [n] (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.hist_1d (intrinsics.replicate k ne) op ne is as

-- | Writes each value into the destination at its index. An index out of range is ignored; several
-- values for one place must be equal.
def scatter 'a [k] [n] (dest: *[k]a) (is: [n]i64) (vs: [n]a) : *[k]a =
  intrinsics.scatter_1d dest is vs

-- | As `scatter`, into two dimensions.
def scatter_2d 'a [k] [m] [n] (dest: *[k][m]a) (is: [n](i64, i64)) (vs: [n]a) : *[k][m]a =
  intrinsics.scatter_2d dest is vs

-- | As `scatter`, into three dimensions.
def scatter_3d 'a [k] [l] [m] [n] (dest: *[k][l][m]a) (is: [n](i64, i64, i64)) (vs: [n]a)
    : *[k][l][m]a =
  intrinsics.scatter_3d dest is vs

-- | `scatter` into `k` copies of a value.
def spread 'a [n] (k: i64) (x: a) (is: [n]i64) (vs: [n]a) : *[k]a =
  intrinsics.scatter_1d (intrinsics.replicate k x) is vs

-- | Writes into an array through an accumulator.
def scatter_stream [k] 'a 'b [n]
    (dest: *[k]a) (f: *acc ([k]a) -> b -> *acc ([k]a)) (bs: [n]b) : *[k]a =
  intrinsics.scatter_stream dest f bs

-- | Combines into an array through an accumulator.
def reduce_by_index_stream [k] 'a 'b [n]
    (dest: *[k]a) (op: a -> a -> a) (ne: a) (f: *acc ([k]a) -> b -> *acc ([k]a)) (bs: [n]b)
    : *[k]a =
  intrinsics.hist_stream dest op ne f bs

-- | An update of an accumulator at an index.
def write [n] 'a (acc: *acc ([n]a)) (i: i64) (v: a) : *acc ([n]a) = intrinsics.acc_write acc i v

-- | Whether the predicate holds of every element.
def all [n] 'a (f: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce_comm (\x y -> x && y) true (intrinsics.map f as)

-- | Whether the predicate holds of some element.
def any [n] 'a (f: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce_comm (\x y -> x || y) false (intrinsics.map f as)

-- The last element of the counts: how many there are altogether.
local def total [n] (counts: [n]i64) : i64 = if n == 0 then 0 else counts[n - 1]

-- How many elements an array has.
local def size [n] 't (_: [n]t) : i64 = n

-- | A map whose function returns, for each element, an array of a size of its own and a value that
-- has the same type and size for all elements. The results are the sizes of the arrays; flags, true
-- where an array begins in their concatenation; the place where each array begins in it (an empty
-- one begins where the next one does); the concatenation of the arrays; and the values. The function
-- may be executed twice for an element.
def flatmap' 'a 'b 'c [n] (f: a -> ?[m].([m]b, c)) (as: [n]a)
    : ?[k].(*[n]i64, *[k]bool, *[n]i64, *[k]b, *[n]c) =
  let heads = intrinsics.map (\a -> let (bs, c) = f a in (size bs, c)) as
  let sizes = intrinsics.map (\(s, _) -> s) heads
  let ends = intrinsics.scan (\x y -> x + y) 0 sizes
  -- Sizes are not negative, so the first sum that is too large for i64 is a negative number.
  let k = assert (all (\e -> e >= 0) ends) (total ends)
  let offsets = intrinsics.map (\(e, s) -> e - s) (intrinsics.zip ends sizes)
  let begins =
    intrinsics.map (\(o, s) -> if s == 0 then -1 else o) (intrinsics.zip offsets sizes)
  let flags = intrinsics.scatter_1d (intrinsics.replicate k false) begins
                                    (intrinsics.replicate n true)
  let data =
    intrinsics.scatter_stream (intrinsics.scratch k)
                              (\acc (o, a) ->
                                 let (bs, _) = f a
                                 in loop acc for j < size bs do
                                      intrinsics.acc_write acc (o + j) bs[j])
                              (intrinsics.zip offsets as)
  in (sizes, flags, offsets, data, intrinsics.map (\(_, c) -> c) heads)

-- | The concatenation of the arrays, each of a size of its own, that the function returns for the
-- elements.
def flatmap 'a 'b [n] (f: a -> ?[m].[m]b) (as: [n]a) : ?[k].*[k]b =
  let (_, _, _, data, _) = flatmap' (\a -> (f a, ())) as
  in data

-- | The elements of which the predicate holds, in order.
def filter [n] 'a (p: a -> bool) (as: [n]a) : *[]a = intrinsics.filter p as

-- | The elements of which the predicate holds, and the others, each in order. Two filters go over
-- the elements once each, without places that are computed first.
def partition [n] 'a (p: a -> bool) (as: [n]a) : ?[k].([k]a, [n - k]a) =
  let rows = intrinsics.zip (intrinsics.map p as) as
  let [k] here: [k](bool, a) = intrinsics.filter (\(h, _) -> h) rows
  let others = intrinsics.filter (\(h, _) -> if h then false else true) rows
  in ((intrinsics.unzip here).1, (intrinsics.unzip others).1 :> [n - k]a)

-- | The elements of which the first predicate holds, those of the others of which the second one
-- holds, and the rest, each in order.
def partition2 [n] 'a (p1: a -> bool) (p2: a -> bool) (as: [n]a)
    : ?[k][l].([k]a, [l]a, [n - k - l]a) =
  let class = intrinsics.map (\a -> if p1 a then 0i8 else if p2 a then 1i8 else 2i8) as
  let rows = intrinsics.zip class as
  let [k] firsts: [k](i8, a) = intrinsics.filter (\(c, _) -> c == 0i8) rows
  let [l] seconds: [l](i8, a) = intrinsics.filter (\(c, _) -> c == 1i8) rows
  let others = intrinsics.filter (\(c, _) -> c == 2i8) rows
  in ( (intrinsics.unzip firsts).1
     , (intrinsics.unzip seconds).1
     , (intrinsics.unzip others).1 :> [n - k - l]a
     )
