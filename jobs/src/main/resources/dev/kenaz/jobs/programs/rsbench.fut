-- The kernel of RSBench: macroscopic cross sections of materials at given energies from the poles of
-- their nuclides (the multipole method), Doppler broadened. A pole has a place and three residues,
-- complex numbers as pairs of columns; a window of energies has three fits and a range of poles.

type complex = (f64, f64)

def plus (a: complex) (b: complex): complex = (a.0 + b.0, a.1 + b.1)
def minus (a: complex) (b: complex): complex = (a.0 - b.0, a.1 - b.1)
def times (a: complex) (b: complex): complex = (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
def scale (s: f64) (a: complex): complex = (s * a.0, s * a.1)

def over (a: complex) (b: complex): complex =
  let d = b.0 * b.0 + b.1 * b.1
  in ((a.0 * b.0 + a.1 * b.1) / d, (a.1 * b.0 - a.0 * b.1) / d)

def exponential (a: complex): complex =
  let r = f64.exp a.0 in (r * f64.cos a.1, r * f64.sin a.1)

-- | Faddeeva's function: a series near the origin, an asymptotic form elsewhere.
def faddeeva (z: complex): complex =
  if f64.sqrt (z.0 * z.0 + z.1 * z.1) < 6
  then let t = scale 12 z
       let e = exponential (times (0, 1) t)
       let start = over (times (0, 1) (minus (1, 0) e)) t
       let square = times t t
       let sum =
         loop sum = (0, 0) for n < 10 do
           let k = f64.i64 (n + 1) * f64.pi
           let weight = f64.sqrt f64.pi / 6 * f64.exp (-(k / 12) * (k / 12))
           let sign = if n % 2 == 0 then -1 else 1
           let top = minus (scale sign e) (1, 0)
           in plus sum (scale weight (over top (minus (k * k, 0) square)))
       in plus start (times (times (0, 144 / f64.sqrt f64.pi) z) sum)
  else let square = times z z
       let first = over (0.512424224754768462984202823134979415, 0)
                        (minus square (0.275255128608410950901357962647054304, 0))
       let second = over (0.051765358792987823963876628425793170, 0)
                         (minus square (2.724744871391589049098642037352945696, 0))
       in times (times z (0, 1)) (plus first second)

-- | The factors of the total cross section, by the angular momentum of a pole.
def phase (e: f64) (radius: f64) (l: i64): complex =
  let phi = radius * f64.sqrt e
  let square = phi * phi
  let phi =
    if l == 1 then phi - f64.atan phi
    else if l == 2 then phi - f64.atan (3 * phi / (3 - square))
    else if l == 3 then phi - f64.atan (phi * (15 - square) / (15 - 6 * square))
    else phi
  in (f64.cos (2 * phi), -f64.sin (2 * phi))

def micro [k] [p] [w] [l]
          (poles: [k][p][8]f64)
          (momenta: [k][p]i64)
          (fits: [k][w][3]f64)
          (ranges: [k][w][2]i64)
          (radii: [k][l]f64)
          (nuclide: i64)
          (e: f64): (f64, f64, f64) =
  let window = i64.min (i64.f64 (e * f64.i64 w)) (w - 1)
  let fit = fits[nuclide, window]
  let phases = unzip (map2 (phase e) radii[nuclide] (iota l))
  in loop (total, absorption, fission) = (e * fit[0], e * fit[1], e * fit[2])
     for j in ranges[nuclide, window, 0]...ranges[nuclide, window, 1] do
       let pole = poles[nuclide, j]
       let z = scale 0.5 (minus (e, 0) (pole[0], pole[1]))
       let f = faddeeva z
       let m = momenta[nuclide, j]
       let factor = times f (phases.0[m], phases.1[m])
       in (total + (times (pole[2], pole[3]) factor).0
          , absorption + (times (pole[4], pole[5]) f).0
          , fission + (times (pole[6], pole[7]) f).0)

def macro [k] [p] [w] [l] [m] [c]
          (momenta: [k][p]i64)
          (ranges: [k][w][2]i64)
          (radii: [k][l]f64)
          (counts: [m]i64)
          (nuclides: [m][c]i64)
          (poles: [k][p][8]f64)
          (fits: [k][w][3]f64)
          (densities: [m][c]f64)
          (e: f64)
          (material: i64): [4]f64 =
  let (t, a, f) =
    loop (t, a, f) = (0, 0, 0) for j < counts[material] do
      let (t1, a1, f1) = micro poles momenta fits ranges radii nuclides[material, j] e
      let d = densities[material, j]
      in (t + d * t1, a + d * a1, f + d * f1)
  in [t, a, f, t - a]

entry rsbench [k] [p] [w] [l] [m] [c] [n]
              (momenta: [k][p]i64)
              (ranges: [k][w][2]i64)
              (radii: [k][l]f64)
              (counts: [m]i64)
              (nuclides: [m][c]i64)
              (poles: [k][p][8]f64)
              (fits: [k][w][3]f64)
              (densities: [m][c]f64)
              (energies: [n]f64)
              (materials: [n]i64): [n][4]f64 =
  map2 (macro momenta ranges radii counts nuclides poles fits densities) energies materials

entry rsbench_ad [k] [p] [w] [l] [m] [c] [n]
                 (momenta: [k][p]i64)
                 (ranges: [k][w][2]i64)
                 (radii: [k][l]f64)
                 (counts: [m]i64)
                 (nuclides: [m][c]i64)
                 (poles: [k][p][8]f64)
                 (fits: [k][w][3]f64)
                 (densities: [m][c]f64)
                 (energies: [n]f64)
                 (materials: [n]i64)
                 (adjoint: [n][4]f64) =
  let f (poles, fits, densities) =
    rsbench momenta ranges radii counts nuclides poles fits densities energies materials
  in vjp2 f (poles, fits, densities) adjoint
