-- Prices an option on three assets by quasi-Monte Carlo, all dates written out: long straight code in a map.

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

def sobol [d] (v: [d][bits]u32) (i: i32) : [d]f64 =
  let gray = u32.i32 (i ^ (i >> 1))
  in map (\row ->
            let x = loop x = 0u32 for k < bits do
                      if (gray >> u32.i64 k) & 1 == 1 then x ^ row[k] else x
            in (f64.u32 x + 0.5) / f64.u32 (1 << u32.i64 bits)) v

-- the inverse of the normal distribution, by Wichura's AS 241
def inverse_normal (p: f64) : f64 =
  let q = p - 0.5
  in if f64.abs q <= 0.425
     then let r = 0.180625 - q * q
          in q * (((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r + 6.7265770927008700853e4) * r
                    + 4.5921953931549871457e4) * r + 1.3731693765509461125e4) * r + 1.9715909503065514427e3) * r
                  + 1.3314166789178437745e2) * r + 3.3871328727963666080e0)
             / (((((((5.2264952788528545610e3 * r + 2.8729085735721942674e4) * r + 3.9307895800092710610e4) * r
                    + 2.1213794301586595867e4) * r + 5.3941960214247511077e3) * r + 6.8718700749205790830e2) * r
                  + 4.2313330701600911252e1) * r + 1)
     else let r = f64.sqrt (-(f64.log (if q < 0 then p else 1 - p)))
          let x = if r <= 5
                  then let r = r - 1.6
                       in (((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r
                                + 2.41780725177450611770e-1) * r + 1.27045825245236838258e0) * r
                              + 3.64784832476320460504e0) * r + 5.76949722146069140550e0) * r
                            + 4.63033784615654529590e0) * r + 1.42343711074968357734e0)
                          / (((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r
                                 + 1.51986665636164571966e-2) * r + 1.48103976427480074590e-1) * r
                               + 6.89767334985100004550e-1) * r + 1.67638483018380384940e0) * r
                             + 2.05319162663775882187e0) * r + 1)
                  else let r = r - 5
                       in (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r
                                + 1.24266094738807843860e-3) * r + 2.65321895265761230930e-2) * r
                              + 2.96560571828504891230e-1) * r + 1.78482653991729133580e0) * r
                            + 5.46378491116411436990e0) * r + 6.65790464350110377720e0)
                          / (((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r
                                 + 1.84631831751005468180e-5) * r + 7.86869131145613259100e-4) * r
                               + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r
                             + 5.99832206555887937690e-1) * r + 1)
          in if q < 0 then -x else x

-- One path, written out: five dates, three assets.
def one (v: [15][bits]u32) (i: i32) : (f64, f64) =
  let u = sobol v i
  let g0 = inverse_normal u[0]
  let g1 = inverse_normal u[1]
  let g2 = inverse_normal u[2]
  let g3 = inverse_normal u[3]
  let g4 = inverse_normal u[4]
  let g5 = inverse_normal u[5]
  let g6 = inverse_normal u[6]
  let g7 = inverse_normal u[7]
  let g8 = inverse_normal u[8]
  let g9 = inverse_normal u[9]
  let g10 = inverse_normal u[10]
  let g11 = inverse_normal u[11]
  let g12 = inverse_normal u[12]
  let g13 = inverse_normal u[13]
  let g14 = inverse_normal u[14]
  let p40 = 2.23606 * g0
  let p41 = 2.23606 * g1
  let p42 = 2.23606 * g2
  let p20 = 1.0954 * g3 + 0.6 * p40
  let p21 = 1.0954 * g4 + 0.6 * p41
  let p22 = 1.0954 * g5 + 0.6 * p42
  let p10 = 0.8165 * g6 + 0.66666 * p20
  let p11 = 0.8165 * g7 + 0.66666 * p21
  let p12 = 0.8165 * g8 + 0.66666 * p22
  let p00 = 0.7071 * g9 + 0.5 * p10
  let p01 = 0.7071 * g10 + 0.5 * p11
  let p02 = 0.7071 * g11 + 0.5 * p12
  let p30 = 0.7071 * g12 + 0.5 * p20 + 0.5 * p40
  let p31 = 0.7071 * g13 + 0.5 * p21 + 0.5 * p41
  let p32 = 0.7071 * g14 + 0.5 * p22 + 0.5 * p42
  let n00 = p00
  let n01 = p01
  let n02 = p02
  let n10 = p10 - p00
  let n11 = p11 - p01
  let n12 = p12 - p02
  let n20 = p20 - p10
  let n21 = p21 - p11
  let n22 = p22 - p12
  let n30 = p30 - p20
  let n31 = p31 - p21
  let n32 = p32 - p22
  let n40 = p40 - p30
  let n41 = p41 - p31
  let n42 = p42 - p32
  let s00 = 3758.05 * f64.exp (0.005 + 0.19 * (1 * n00))
  let s01 = 11840 * f64.exp (0.006 + 0.19 * (0.6 * n00 + 0.8 * n01))
  let s02 = 1200 * f64.exp (0.004 + 0.15 * (0.8 * n00 + 0.15 * n01 + 0.58 * n02))
  let s10 = s00 * f64.exp (0.005 + 0.19 * (1 * n10))
  let s11 = s01 * f64.exp (0.006 + 0.19 * (0.6 * n10 + 0.8 * n11))
  let s12 = s02 * f64.exp (0.004 + 0.15 * (0.8 * n10 + 0.15 * n11 + 0.58 * n12))
  let s20 = s10 * f64.exp (0.005 + 0.19 * (1 * n20))
  let s21 = s11 * f64.exp (0.006 + 0.19 * (0.6 * n20 + 0.8 * n21))
  let s22 = s12 * f64.exp (0.004 + 0.15 * (0.8 * n20 + 0.15 * n21 + 0.58 * n22))
  let s30 = s20 * f64.exp (0.005 + 0.19 * (1 * n30))
  let s31 = s21 * f64.exp (0.006 + 0.19 * (0.6 * n30 + 0.8 * n31))
  let s32 = s22 * f64.exp (0.004 + 0.15 * (0.8 * n30 + 0.15 * n31 + 0.58 * n32))
  let s40 = s30 * f64.exp (0.005 + 0.19 * (1 * n40))
  let s41 = s31 * f64.exp (0.006 + 0.19 * (0.6 * n40 + 0.8 * n41))
  let s42 = s32 * f64.exp (0.004 + 0.15 * (0.8 * n40 + 0.15 * n41 + 0.58 * n42))
  let w0 = f64.min (f64.min (s00 / 3758.05) (s01 / 11840)) (s02 / 1200)
  let w1 = f64.min (f64.min (s10 / 3758.05) (s11 / 11840)) (s12 / 1200)
  let w2 = f64.min (f64.min (s20 / 3758.05) (s21 / 11840)) (s22 / 1200)
  let w3 = f64.min (f64.min (s30 / 3758.05) (s31 / 11840)) (s32 / 1200)
  let w4 = f64.min (f64.min (s40 / 3758.05) (s41 / 11840)) (s42 / 1200)
  let value = if w0 >= 1 then 1115.5 else if w1 >= 1 then 1222.0 else if w2 >= 1 then 1319.5 else if w3 >= 1 then 1408.0 else if w4 >= 1 then 1487.5 else 0
  let barrier = s00 <= 2630.6350 || s01 <= 8288 || s02 <= 840 || s10 <= 2630.6350 || s11 <= 8288 || s12 <= 840 || s20 <= 2630.6350 || s21 <= 8288 || s22 <= 840 || s30 <= 2630.6350 || s31 <= 8288 || s32 <= 840 || s40 <= 2630.6350 || s41 <= 8288 || s42 <= 840
  let rest = if barrier then 1000 * f64.min 1 w4 else 1000
  in (value, if value > 0 then value else rest * 0.85)

-- ==
-- entry: main
-- input { 30 } output { 605.6 636.56127 }
entry main (n: i32) : (f64, f64) =
  let starts = [[1u32, 0, 0, 0, 0, 0, 0, 0], [1, 3, 0, 0, 0, 0, 0, 0], [1, 3, 5, 0, 0, 0, 0, 0], [1, 1, 5, 5, 0, 0, 0, 0],
                [1, 1, 7, 11, 13, 0, 0, 0]]
  let v = tabulate 15 (\d ->
     let degree = d % 5 + 1
     in map (\x -> if d == 0 then 1u32 << u32.i64 (bits - 1) else x) (directions degree (u32.i64 (d / 5)) starts[d % 5]))
  let (a, b) = reduce (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (map (one v) (map i32.i64 (iota (i64.i32 n))))
  in (a / f64.i32 n, b / f64.i32 n)
