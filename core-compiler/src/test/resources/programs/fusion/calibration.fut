-- A calibration kernel: the four parameters of Nelson and Siegel's yield curve that explain bond
-- prices best, among the candidates of one generation of differential evolution. The curve's yield
-- at t is b0 + b1 f(t) + b2 (f(t) - exp (-t / tau)) with f(t) = (1 - exp (-t / tau)) / (t / tau);
-- a bond with coupon c pays c a year and 1 at the end.
-- ==
-- entry: finds
-- input { 200i64 } output { true }
-- ==
-- entry: par
-- input { } output { true }

type curve = {b0: f64, b1: f64, b2: f64, tau: f64}

def yield ({b0, b1, b2, tau}: curve) (t: f64) : f64 =
  let x = t / tau
  let f = (1 - f64.exp (-x)) / x
  in b0 + b1 * f + b2 * (f - f64.exp (-x))

def bond_price [years] (discounts: [years]f64) (coupon: f64) (maturity: i64) : f64 =
  let pays = map (\y -> if y < maturity then coupon else if y == maturity then 1 + coupon else 0)
                 (map (+ 1) (iota years))
  let values = map2 (*) discounts pays
  in reduce (+) 0 values

def model [b] (years: i64) (c: curve) (coupons: [b]f64) (maturities: [b]i64) : [b]f64 =
  let dates = map f64.i64 (map (+ 1) (iota years))
  let discounts = map (\t -> f64.exp (- yield c t * t)) dates
  in map2 (bond_price discounts) coupons maturities

-- The mean of the weighted squared errors; short bonds weigh more.
def error [b] (years: i64) (c: curve) (coupons: [b]f64) (maturities: [b]i64) (quotes: [b]f64) : f64 =
  let weights = map (\m -> 1 / f64.i64 m) maturities
  let errors = map2 (-) (model years c coupons maturities) quotes
  let squares = map (\e -> e * e) errors
  in reduce (+) 0 (map2 (*) weights squares) / reduce (+) 0 weights

-- Pseudo-random numbers in [-1, 1): the finishing steps of MurmurHash3 on a counter.
def noise (i: i64) (j: i64) : f64 =
  let x = u32.i64 (i * 4 + j + 1) * 2654435761
  let x = (x ^ (x >> 16)) * 2246822507
  let x = (x ^ (x >> 13)) * 3266489909
  let x = x ^ (x >> 16)
  in f64.u32 (x >> 8) / 8388608 - 1

-- Candidates around a point.
def candidates (n: i64) (round: i32) (around: curve) (radius: f64) : [n]curve =
  tabulate n (\k ->
    let i = i64.i32 round * n + k in
    { b0 = around.b0 + radius * 0.02 * noise i 0
    , b1 = around.b1 + radius * 0.02 * noise i 1
    , b2 = around.b2 + radius * 0.02 * noise i 2
    , tau = around.tau * (1 + 0.5 * radius * noise i 3) })

def best [n] (errors: [n]f64) : (f64, i64) =
  reduce (\(e1, i1) (e2, i2) -> if e1 < e2 || e1 == e2 && i1 < i2 then (e1, i1) else (e2, i2))
         (f64.inf, -1) (zip errors (iota n))

def calibrate [b] (n: i64) (rounds: i32) (start: curve) (coupons: [b]f64) (maturities: [b]i64) (quotes: [b]f64)
    : (curve, f64) =
  let years = i64.maximum maturities
  let (c, e, _) =
    loop (c, e, radius) = (start, error years start coupons maturities quotes, 1) for i < rounds do
      let cs = candidates n i c radius
      let errors = map (\c -> error years c coupons maturities quotes) cs
      let (least, at) = best errors
      in if least < e then (cs[at], least, radius) else (c, e, radius * 0.7)
  in (c, e)

def coupons : [8]f64 = [0.02, 0.03, 0.025, 0.04, 0.035, 0.01, 0.05, 0.03]
def maturities : [8]i64 = [1, 2, 3, 5, 7, 10, 15, 20]

-- Prices of a known curve are explained to a few basis points.
entry finds (n: i64) : bool =
  let truth = {b0 = 0.04, b1 = -0.02, b2 = 0.01, tau = 2.0}
  let quotes = model 20 truth coupons maturities
  let (_, e) =
    calibrate n 40 {b0 = 0.03, b1 = 0.0, b2 = 0.0, tau = 1.5} coupons
              maturities quotes
  in f64.sqrt e < 5e-4

-- On a flat curve, a bond whose coupon is the yield compounded yearly is worth 1.
entry par : bool =
  let flat = {b0 = 0.03, b1 = 0.0, b2 = 0.0, tau = 1.0}
  let coupon = f64.exp 0.03 - 1
  in all (\p -> f64.abs (p - 1) < 1e-12) (model 10 flat (replicate 3 coupon) [1, 5, 10])
