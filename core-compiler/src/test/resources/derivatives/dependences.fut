-- Derivatives of loop nests that update arrays in place, with and without false dependencies: the full
-- Jacobian by the vector modes, forward and reverse, and by central differences; that of the
-- gradient; and value and gradient together against each alone.
-- ==
-- entry: recurrence thomas triangular descending strided stencil lower_solve lu cholesky seidel rows columns branches last_write halves counted while_inner read_by_map reversed_slice same_iteration gathered narrow
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64, 1.1f64] } output { true true true true }
-- input { [0.3f64] } output { true true true true }

def onehot (n: i64) (i: i64) : [n]f64 = tabulate n (\j -> if i == j then 1 else 0)
def fwd [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 = jmp f x (tabulate n (onehot n))
def rev [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 = transpose (mjp f x (tabulate m (onehot m)))
def nudged [n] (x: [n]f64) (i: i64) (e: f64) : [n]f64 = map2 (\y d -> y + e * d) x (onehot n i)
def diff [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : [n][m]f64 =
  tabulate n (\i -> map2 (\a b -> (a - b) / 2e-6) (f (nudged x i 1e-6)) (f (nudged x i (-1e-6))))
def close (e: f64) (x: f64) (y: f64) : bool = f64.abs (x - y) <= e * (1 + f64.abs x)
def same [n] [m] (e: f64) (a: [n][m]f64) (b: [n][m]f64) : bool = and (map2 (\r s -> and (map2 (close e) r s)) a b)
def grad [n] (m: i64) (f: [n]f64 -> [m]f64) (y: [n]f64) : [n]f64 = vjp f y (tabulate m (\i -> 1.5 + f64.i64 i))

def both [n] (m: i64) (f: [n]f64 -> [m]f64) (x: [n]f64) : (bool, bool, bool, bool) =
  let j = fwd m f x
  let (y, g) = vjp2 f x (tabulate m (\i -> 1.5 + f64.i64 i))
  in (same 1e-9 j (rev m f x), same 1e-4 j (diff m f x), same 1e-9 (fwd n (grad m f) x) (rev n (grad m f) x),
      and (map2 (close 1e-12) y (f x)) && and (map2 (close 1e-12) g (grad m f x)))

-- a matrix without zeros on its diagonal
def matrix [n] (xs: [n]f64) : *[n][n]f64 =
  tabulate_2d n n (\i j -> if i == j then 3 + xs[i] else f64.sin (xs[i] + 2 * xs[j]))

-- no false dependency
entry recurrence [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for i < n - 1 do a with [i + 1] = a[i + 1] + f64.sin a[i] * a[i]
  in both n f xs

-- tridiagonal systems: both sweeps in place
entry thomas [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let (c, d) =
      loop (c, d) = (map f64.cos xs, copy xs) for i < n do
        let w = 4 - (if i > 0 then 0.5 * c[i - 1] else 0)
        let y = (d[i] - (if i > 0 then xs[i] * d[i - 1] else 0)) / w
        in (c with [i] = c[i] / w, d with [i] = y)
    in loop d for k < n - 1 do
         let i = n - 2 - k
         in d with [i] = d[i] - c[i] * d[i + 1]
  in both n f xs

-- the inner loop's length is the outer loop's index
entry triangular [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for i < n do
      loop a for j < i do a with [j] = a[j] * f64.sin a[i] + 0.3 * a[j + 1]
  in both n f xs

entry descending [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    (loop (a, i) = (copy xs, n - 1) while i > 0 do (a with [i - 1] = a[i] * f64.cos a[i] * xs[i - 1], i - 1)).0
  in both n f xs

-- even elements are read, odd ones are written
entry strided [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let a = loop a = replicate (2 * n + 1) 0.7 for i < n do a with [2 * i] = xs[i] * xs[i]
    let a = loop a for i < n do a with [2 * i + 1] = a[2 * i] * f64.sin a[2 * n - 2 * i]
    in tabulate n (\i -> a[2 * i + 1] + a[2 * i])
  in both n f xs

-- a time step a row, each from the row before
entry stencil [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let a = copy (replicate 4 xs)
    in last (loop a for t < 3 do
               loop a for i < n do
                 let l = if i > 0 then a[t, i - 1] else 1
                 in a with [t + 1, i] = f64.sin (l * a[t, i]) + a[t, (i + 1) % n])
  in both n f xs

-- forward substitution with inner sums over what is done
entry lower_solve [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let m = matrix xs
    in loop y = copy xs for i < n do
         let s = loop s = 0 for j < i do s + m[i, j] * y[j]
         in y with [i] = (y[i] - s) / m[i, i]
  in both n f xs

entry lu [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let a =
      loop a = matrix xs for k < n do
        loop a for i' < n - k - 1 do
          let i = i' + k + 1
          let l = a[i, k] / a[k, k]
          let a = a with [i, k] = l
          in loop a for j' < n - k - 1 do
               let j = j' + k + 1
               in a with [i, j] = a[i, j] - l * a[k, j]
    in map f64.sum a
  in both n f xs

-- inner products of slices of rows that are done
entry cholesky [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let a = map2 (\i r -> map2 (\j x -> if i == j then 9 + x else x) (iota n) r) (iota n) (map (\x -> map (* x) xs) xs)
    let l =
      loop a for j < n do
        let d = f64.sqrt (a[j, j] - f64.sum (map (\x -> x * x) a[j, :j]))
        let a = a with [j, j] = d
        in loop a for i' < n - j - 1 do
             let i = i' + j + 1
             in a with [i, j] = (a[i, j] - f64.sum (map2 (*) a[i, :j] a[j, :j])) / d
    in tabulate n (\i -> f64.sum (l[i, :i + 1]))
  in both n f xs

entry seidel [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let m = matrix xs
    in loop x = replicate n 1 for t < 3 do
         loop x for i < n do
           let s = loop s = 0 for j < n do if i == j then s else s + m[i, j] * x[j]
           in x with [i] = (xs[i] - s) / m[i, i]
  in both n f xs

entry rows [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    last (loop a = copy (replicate (n + 1) xs) for i < n do
            a with [i + 1] = map2 (\x y -> f64.sin x * y) a[i] xs)
  in both n f xs

entry columns [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let a = loop a = matrix xs for i < n - 1 do
              a with [:, i + 1] = map2 (\x y -> x * y + x) a[:, i] a[:, i + 1]
    in a[:, n - 1]
  in both n f xs

entry branches [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for i < n do
      if i == 0 then a
      else if xs[i] > 0.4 then a with [i] = a[i - 1] * xs[i] else a with [i] = f64.sin a[0]
  in both n f xs

-- false dependencies: what is read is overwritten later

entry last_write [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for i < n do a with [n - 1] = a[n - 1] * a[i] + f64.cos a[0]
  in both n f xs

entry halves [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for i < n do a with [n - 1 - i] = a[i] * f64.sin a[n - 1 - i]
  in both n f xs

entry counted [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    (loop (a, k) = (copy xs, 0) for i < n do
       loop (a, k) for j < i % 3 do (a with [k % n] = a[k % n] * a[i] + a[j], k + 1)).0
  in both n f xs

entry while_inner [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for i < n do
      (loop (a, j) = (a, i) while j >= 0 && a[j] > 0.1 do (a with [j] = a[j] * f64.sin a[i] * 0.7, j - 1)).0
  in both n f xs

entry read_by_map [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for i < n - 1 do
      a with [i + 1] = f64.sum (map (\j -> a[j] * a[i]) (iota (i + 1)))
  in both n f xs

entry reversed_slice [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for t < 2 do
      let b = map2 (\x y -> x * f64.sin y) a[::-1] xs
      in a with [0:n] = b
  in both n f xs

entry same_iteration [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for i < n - 1 do
      let a = a with [i] = a[i] * a[i + 1]
      let z = a[i] * xs[i]
      in a with [i + 1] = z * a[i + 1]
  in both n f xs

-- indices that are data
entry gathered [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    let is = tabulate n (\i -> (i * 2 + 1) % n)
    in loop a = copy xs for i < n do a with [is[i]] = a[is[i]] * a[i] + xs[i]
  in both n f xs

entry narrow [n] (xs: [n]f64) =
  let f [n] (xs: [n]f64) : [n]f64 =
    loop a = copy xs for i < i32.i64 n - 1 do a with [i + 1] = a[i + 1] * f64.sin a[i]
  in both n f xs
