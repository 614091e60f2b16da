-- | Functions on arrays.

-- | The number of elements.
def length [n] 't (_: [n]t) : i64 = n

-- | Whether there are no elements.
def null [n] 't (_: [n]t) : bool = n == 0

-- | The first element.
def head [n] 't (xs: [n]t) : t = xs[0]

-- | The last element.
def last [n] 't (xs: [n]t) : t = xs[n - 1]

-- | All but the first element.
def tail [n] 't (xs: [n]t) : [n - 1]t = xs[1:n] :> [n - 1]t

-- | All but the last element.
def init [n] 't (xs: [n]t) : [n - 1]t = xs[0:n - 1] :> [n - 1]t

-- | The first `l` elements.
def take [n] 't (l: i64) (xs: [n]t) : [l]t = xs[0:l] :> [l]t

-- | All but the first `l` elements.
def drop [n] 't (l: i64) (xs: [n]t) : [n - l]t = xs[l:n] :> [n - l]t

-- | Two parts, of the lengths that the context asks for.
def split [n] [m] 't (xs: [n + m]t) : ([n]t, [m]t) =
  (xs[0:n] :> [n]t, xs[n:n + m] :> [m]t)

-- | The elements in opposite order.
def reverse [n] 't (xs: [n]t) : [n]t =
  intrinsics.map (\i -> xs[n - 1 - i]) (intrinsics.iota n)

-- | The array shifted to the left, what falls out coming in again on the right.
def rotate [n] 't (r: i64) (xs: [n]t) : [n]t =
  intrinsics.map (\i -> xs[(i + r) % n]) (intrinsics.iota n)

-- | One array after the other.
def (++) [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | The same as `++`.
def concat [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | The array under another size, which is checked.
def sized [m] 't (n: i64) (xs: [m]t) : [n]t = xs :> [n]t

-- | The same as `sized`.
def resize [m] 't (n: i64) (xs: [m]t) : [n]t = xs :> [n]t

-- | 0, 1, … up to but not including `n`.
def iota (n: i64) : *[n]i64 = intrinsics.iota n

-- | The indices of an array.
def indices [n] 't (_: [n]t) : *[n]i64 = intrinsics.iota n

-- | `n` copies of a value.
def replicate 't (n: i64) (x: t) : *[n]t = intrinsics.replicate n x

-- | As many copies of a value as the context asks for.
def rep 't [n] (x: t) : *[n]t = intrinsics.replicate n x

-- | An equal value that shares no memory with any other.
def copy '~t (x: t) : *t = intrinsics.copy x

-- | An equal array, laid out in memory as its type says.
def manifest '~t (x: t) : *t = intrinsics.copy x

-- | Rows become columns.
def transpose [n] [m] 't (xs: [n][m]t) : [m][n]t = intrinsics.transpose xs

-- | The rows one after the other.
def flatten [n] [m] 't (xs: [n][m]t) : [n * m]t = intrinsics.flatten xs

-- | As `flatten`, of three dimensions.
def flatten_3d [n] [m] [l] 't (xs: [n][m][l]t) : [n * m * l]t =
  intrinsics.flatten (intrinsics.flatten xs)

-- | As `flatten`, of four dimensions.
def flatten_4d [n] [m] [l] [k] 't (xs: [n][m][l][k]t) : [n * m * l * k]t =
  intrinsics.flatten (flatten_3d xs)

-- | Cut into rows as the context asks for.
def unflatten [n] [m] 't (xs: [n * m]t) : [n][m]t = intrinsics.unflatten xs

-- | As `unflatten`, into three dimensions.
def unflatten_3d [n] [m] [l] 't (xs: [n * m * l]t) : [n][m][l]t =
  intrinsics.unflatten (intrinsics.unflatten xs)

-- | As `unflatten`, into four dimensions.
def unflatten_4d [n] [m] [l] [k] 't (xs: [n * m * l * k]t) : [n][m][l][k]t =
  intrinsics.unflatten (unflatten_3d xs)

-- | Folds from the left, one element after the other.
def foldl [n] 'a 'b (f: a -> b -> a) (acc: a) (bs: [n]b) : a =
  loop acc for b in bs do f acc b

-- | Folds from the right, one element after the other.
def foldr [n] 'a 'b (f: b -> a -> a) (acc: a) (bs: [n]b) : a =
  loop acc for i < n do f bs[n - 1 - i] acc

-- | The function applied to 0, 1, … up to but not including `n`.
def tabulate 'a (n: i64) (f: i64 -> a) : *[n]a = intrinsics.map f (intrinsics.iota n)

-- | As `tabulate`, in two dimensions.
def tabulate_2d 'a (n: i64) (m: i64) (f: i64 -> i64 -> a) : *[n][m]a =
  intrinsics.map (\i -> intrinsics.map (\j -> f i j) (intrinsics.iota m)) (intrinsics.iota n)

-- | As `tabulate`, in three dimensions.
def tabulate_3d 'a (n: i64) (m: i64) (l: i64) (f: i64 -> i64 -> i64 -> a) : *[n][m][l]a =
  intrinsics.map (\i -> tabulate_2d m l (f i)) (intrinsics.iota n)

-- | Whether all are true.
def and [n] (xs: [n]bool) : bool = intrinsics.reduce_comm (\x y -> x && y) true xs

-- | Whether any is true.
def or [n] (xs: [n]bool) : bool = intrinsics.reduce_comm (\x y -> x || y) false xs

-- | Element by element, from the first array where the flag is true, else from the second.
def pick [n] 't (flags: [n]bool) (xs: [n]t) (ys: [n]t) : *[n]t =
  intrinsics.map (\(c, (x, y)) -> if c then x else y)
                 (intrinsics.zip flags (intrinsics.zip xs ys))

-- | Corresponding elements as pairs.
def zip [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) = intrinsics.zip as bs

-- | The same as `zip`.
def zip2 [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) = intrinsics.zip as bs

-- | As `zip`, of three arrays.
def zip3 [n] 'a 'b 'c (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n](a, b, c) =
  intrinsics.map (\(a, (b, c)) -> (a, b, c)) (intrinsics.zip as (intrinsics.zip bs cs))

-- | As `zip`, of four arrays.
def zip4 [n] 'a 'b 'c 'd (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n](a, b, c, d) =
  intrinsics.map (\((a, b), (c, d)) -> (a, b, c, d))
                 (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs ds))

-- | As `zip`, of five arrays.
def zip5 [n] 'a 'b 'c 'd 'e (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e)
    : *[n](a, b, c, d, e) =
  intrinsics.map (\((a, b), (c, (d, e))) -> (a, b, c, d, e))
                 (intrinsics.zip (intrinsics.zip as bs)
                                 (intrinsics.zip cs (intrinsics.zip ds es)))

-- | The array of the first components, and that of the second.
def unzip [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) = intrinsics.unzip xs

-- | The same as `unzip`.
def unzip2 [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) = intrinsics.unzip xs

-- | As `unzip`, of triples.
def unzip3 [n] 'a 'b 'c (xs: [n](a, b, c)) : ([n]a, [n]b, [n]c) =
  (intrinsics.map (.0) xs, intrinsics.map (.1) xs, intrinsics.map (.2) xs)

-- | As `unzip`, of quadruples.
def unzip4 [n] 'a 'b 'c 'd (xs: [n](a, b, c, d)) : ([n]a, [n]b, [n]c, [n]d) =
  (intrinsics.map (.0) xs, intrinsics.map (.1) xs, intrinsics.map (.2) xs,
   intrinsics.map (.3) xs)

-- | As `unzip`, of quintuples.
def unzip5 [n] 'a 'b 'c 'd 'e (xs: [n](a, b, c, d, e)) : ([n]a, [n]b, [n]c, [n]d, [n]e) =
  (intrinsics.map (.0) xs, intrinsics.map (.1) xs, intrinsics.map (.2) xs,
   intrinsics.map (.3) xs, intrinsics.map (.4) xs)
