-- | Derivatives. A function is seen as one from the numbers in its argument to the numbers in its
-- result; only floating-point numbers have derivatives that are not zero.

-- | The derivative of `f` at `x` in the direction `x'`.
def jvp 'a 'b (f: a -> b) (x: a) (x': a) : *b = (intrinsics.jvp2 f x x').1

-- | How the result weighted by `y'` depends on each number of `x`: the gradient of a function with
-- a single result, given 1.
def vjp 'a 'b (f: a -> b) (x: a) (y': b) : *a = (intrinsics.vjp2 f x y').1

-- | `f x` and its derivative in the direction `x'`.
def jvp2 'a 'b (f: a -> b) (x: a) (x': a) : *(b, b) = intrinsics.jvp2 f x x'

-- | `f x`, and how it weighted by `y'` depends on `x`.
def vjp2 'a 'b (f: a -> b) (x: a) (y': b) : *(b, a) = intrinsics.vjp2 f x y'

-- | As `jvp`, in several directions.
def jmp 'a 'b [n] (f: a -> b) (x: a) (xs': [n]a) : *[n]b = (intrinsics.jmp2 f x xs').1

-- | As `vjp`, for several weights.
def mjp 'a 'b [n] (f: a -> b) (x: a) (ys': [n]b) : *[n]a = (intrinsics.mjp2 f x ys').1

-- | As `jvp2`, in several directions.
def jmp2 'a 'b [n] (f: a -> b) (x: a) (xs': [n]a) : *(b, [n]b) = intrinsics.jmp2 f x xs'

-- | As `vjp2`, for several weights.
def mjp2 'a 'b [n] (f: a -> b) (x: a) (ys': [n]b) : *(b, [n]a) = intrinsics.mjp2 f x ys'

-- | `f x`; but `vjp` uses the rule, which is given the result and its weight. What `f` uses beside
-- its argument counts as constant.
def with_vjp 'a 'b (f: a -> b) (rule: (y: b) -> (y': b) -> a) (x: a) : b =
  intrinsics.with_vjp (\x -> let y = f x in (y, y)) rule x

-- | As `with_vjp`, where the function also returns what the rule is given beside the weight.
def with_vjp_tape 'a 'b 't (f: a -> (b, t)) (rule: (tape: t) -> (y': b) -> a) (x: a) : b =
  intrinsics.with_vjp f rule x
