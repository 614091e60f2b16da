-- | Functions about functions.

-- | The argument on the left, the function on the right: `x |> f |> g` is `g (f x)`.
def (|>) '^a '^b (x: a) (f: a -> b) : b = f x

-- | The function on the left, the argument on the right.
def (<|) '^a '^b (f: a -> b) (x: a) : b = f x

-- | First the left function, then the right one.
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a) : c = g (f x)

-- | First the right function, then the left one.
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a) : c = g (f x)

-- | The argument itself, printed on the way.
def trace '~a (x: a) : a = intrinsics.trace x

-- | The argument itself; an interpreter may stop here.
def break '~a (x: a) : a = intrinsics.break x

-- | The argument itself, in a way that no optimisation looks through.
def opaque '~a (x: a) : *a = intrinsics.copy x

-- | The argument itself.
def id '^t (x: t) = x

-- | The first argument, whatever the second.
def const '^a '^b (x: a) (_: b) : a = x

-- | False where the argument is true.
def not (x: bool) : bool = !x

-- | The function with its two arguments exchanged.
def flip '^a '^b '^c (f: a -> b -> c) (b: b) (a: a) : c = f a b

-- | Passes a pair's components as two arguments.
def uncurry '^a '^b '^c (f: a -> b -> c) (p: (a, b)) : c = f p.0 p.1

-- | Passes two arguments as a pair.
def curry '^a '^b '^c (f: (a, b) -> c) (a: a) (b: b) : c = f (a, b)

-- | The pair with its components exchanged.
def swap '^a '^b (p: (a, b)) : (b, a) = (p.1, p.0)

-- | The function applied `n` times over.
def iterate 'a (n: i32) (f: a -> a) (x: a) : a =
  loop x for _i < n do f x

-- | The function applied again and again as long as the predicate holds.
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x while p x do f x

-- | The function applied again and again until the predicate holds.
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x while !(p x) do f x
