-- Reverse derivatives of nests that update arrays in place: LU decomposition, triangular loops, lengths that are
-- data, while loops within, and a loop that says that it has no false dependencies. Directional derivatives by
-- both modes agree.
-- ==
-- entry: lu triangular ragged while_inner annotated
-- input { [0.3f64, 0.9f64, -0.4f64, 1.7f64, 0.5f64] } output { true }
-- input { [0.7f64] } output { true }
-- input { empty([0]f64) } output { true }

def agree [n] (f: [n]f64 -> [n]f64) (xs: [n]f64) : bool =
  let dx = tabulate n (\i -> 1 + 0.5 * f64.i64 i)
  let dy = tabulate n (\i -> 2 - 0.3 * f64.i64 i)
  let forward = f64.sum (map2 (*) dy (jvp f xs dx))
  let reverse = f64.sum (map2 (*) dx (vjp f xs dy))
  in f64.abs (forward - reverse) <= 1e-9 * (1 + f64.abs forward)

def lu_of [n] (xs: [n]f64) : [n]f64 =
  let a =
    loop a = tabulate_2d n n (\i j -> if i == j then 3 + xs[i] else f64.sin (xs[i] + 2 * xs[j])) for k < n do
      loop a for i' < n - k - 1 do
        let i = i' + k + 1
        let l = a[i, k] / a[k, k]
        let a = a with [i, k] = l
        in loop a for j' < n - k - 1 do
             let j = j' + k + 1
             in a with [i, j] = a[i, j] - l * a[k, j]
  in map f64.sum a

entry lu [n] (xs: [n]f64) = agree lu_of xs

entry triangular [n] (xs: [n]f64) =
  agree (\(xs: [n]f64) : [n]f64 -> loop a = copy xs for i < n do
                  loop a for j < i do a with [j] = a[j] * f64.sin a[i] + 0.3 * a[j + 1]) xs

entry ragged [n] (xs: [n]f64) =
  let rows = tabulate n (\i -> (i * 7) % 4)
  in agree (\(xs: [n]f64) : [n]f64 -> loop a = copy xs for i < n do
                     loop a for j < rows[i] do
                       let k = (i + j) % n
                       in a with [k] = a[k] * f64.cos a[i] + xs[k]) xs

entry while_inner [n] (xs: [n]f64) =
  agree (\(xs: [n]f64) : [n]f64 -> loop a = copy xs for i < n do
                  (loop (a, j) = (a, i) while j >= 0 && a[j] > 0.1 do
                     (a with [j] = a[j] * f64.sin a[i] * 0.7, j - 1)).0) xs

entry annotated [n] (xs: [n]f64) =
  let is = tabulate n (\i -> (i * 3 + 1) % n)
  in agree (\(xs: [n]f64) : [n]f64 ->
              let a = #[true_dep] loop a = replicate (2 * n) 0.4 for i < n do a with [n + is[i]] = xs[i] * f64.sin a[is[i]]
              in tabulate n (\i -> a[n + i])) xs
