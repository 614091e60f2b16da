-- Prices a barrier option on the best of an asset's dates by quasi-Monte Carlo: Sobol numbers become Gaussian ones, these a
-- Brownian bridge towards the last date, the bridge a path of prices, the path a payoff.

def bits : i64 = 30

-- direction numbers of a dimension, from a polynomial's degree, coefficients and first numbers
def directions (degree: i64) (coefficients: u32) (first: [8]u32) : [bits]u32 =
  let v = replicate bits 0u32
  let v = loop v for k < i64.min degree bits do v with [k] = first[k] << u32.i64 (bits - 1 - k)
  in loop v for k in degree..<bits do
       let x = v[k - degree] ^ (v[k - degree] >> u32.i64 degree)
       let x = loop x for j in 1..<degree do
                 if (coefficients >> u32.i64 (degree - 1 - j)) & 1 == 1 then x ^ v[k - j] else x
       in v with [k] = x

-- the inverse of the normal distribution, by Giles' approximation of the inverse error function
def inverse_normal (p: f64) : f64 =
  let x = 2 * p - 1
  let w = -(f64.log ((1 - x) * (1 + x)))
  let near =
    let w = w - 2.5
    in ((((((((2.81022636e-08 * w + 3.43273939e-07) * w - 3.5233877e-06) * w - 4.39150654e-06) * w + 0.00021858087) * w
           - 0.00125372503) * w - 0.00417768164) * w + 0.246640727) * w + 1.50140941)
  let far =
    let w = f64.sqrt (f64.max w 5) - 3
    in ((((((((-0.000200214257 * w + 0.000100950558) * w + 0.00134934322) * w - 0.00367342844) * w + 0.00573950773) * w
           - 0.0076224613) * w + 0.00943887047) * w + 1.00167406) * w + 2.83297682)
  in 1.4142135623730951 * x * (if w < 5 then near else far)

-- a coordinate of a point
def sobol (v: [bits]u32) (gray: u32) : f64 =
  let x = loop x = 0u32 for k < bits do x ^ (v[k] * ((gray >> u32.i64 k) & 1))
  in (f64.u32 x + 0.5) / 1073741824

def price [n][dates] (volatility: f64) (v: [dates][bits]u32) (rate: [dates]f64) (points: [n]u32) (ends: [n]f64) : f64 =
  let years = f64.i64 dates
  let one gray last =
    let (_, _, _, _, _, value) =
      loop (price, now, best, worst, sum, _) = (100, 0, 0, 1000, 0, 0) for k < dates do
        -- the bridge between this date and the last
        let left = years - f64.i64 k
        let mean = now + (last - now) / left
        let next = mean + f64.sqrt ((left - 1) / left) * inverse_normal (sobol v[k] gray)
        let price = price * f64.exp (rate[k] - volatility * volatility / 2 + volatility * (next - now))
        let best = f64.max best (f64.max 1 (f64.min 180 price))
        let worst = f64.min worst price
        let sum = sum + price
        let average = sum / (f64.i64 k + 1)
        -- if it ended here: on the best date, on the average, on the difference, on the end; above a barrier
        let value = f64.max 0 (best - 110) + f64.max 0 (f64.min (average - 100) 40) + f64.max 0 (f64.min (best - worst) 30)
                    + f64.min 20 (f64.max (f64.max (average - price) (price - average)) (f64.min (best - price) 5))
        in (price, next, best, worst, sum, f64.min value (f64.max 0 ((worst - 60) * 1e9)))
    in value
  in f64.sum (map2 one points ends) / f64.i64 n

def numbers (dates: i64) : [dates][bits]u32 =
  let first = [[1u32, 0, 0, 0, 0, 0, 0, 0], [1, 3, 0, 0, 0, 0, 0, 0], [1, 3, 5, 0, 0, 0, 0, 0], [1, 1, 5, 5, 0, 0, 0, 0],
               [1, 1, 7, 11, 13, 0, 0, 0]]
  in tabulate dates (\d ->
       map (\x -> if d == 0 then 1u32 << u32.i64 (bits - 1) else x) (directions (d % 5 + 1) (u32.i64 (d / 5)) first[d % 5]))

-- The last dates' values are given, nearly normal.
-- ==
-- entry: main
-- input { [-0.5, 0.1, 2.0, -1.7, 0.9, -2.5, 1.1, 0.3, -0.2, 0.6, -0.8] } output { 25.84199954 }
entry main [n] (ends: [n]f64) : f64 =
  let dates = 12
  in price 0.2 (numbers dates) (replicate dates 0.01) (map (\i -> u32.i64 (i ^ (i >> 1))) (iota n)) (map (* f64.sqrt (f64.i64 dates)) ends)
