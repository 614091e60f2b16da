-- Bundle adjustment, as ADBench defines it: how far the projections of points by cameras are from
-- where they were seen, and a penalty on weights. A camera has a rotation vector, a centre, a focal
-- length, a principal point and two coefficients of radial distortion.

type vec = (f64, f64, f64)

def dot (a: vec) (b: vec): f64 = a.0 * b.0 + a.1 * b.1 + a.2 * b.2
def scale (s: f64) (a: vec): vec = (s * a.0, s * a.1, s * a.2)
def add (a: vec) (b: vec): vec = (a.0 + b.0, a.1 + b.1, a.2 + b.2)

def cross (a: vec) (b: vec): vec =
  (a.1 * b.2 - a.2 * b.1, a.2 * b.0 - a.0 * b.2, a.0 * b.1 - a.1 * b.0)

-- | Rodrigues' formula.
def rotated (r: vec) (x: vec): vec =
  let square = dot r r
  in if square == 0
     then add x (cross r x)
     else let angle = f64.sqrt square
          let axis = scale (1 / angle) r
          let (c, s) = (f64.cos angle, f64.sin angle)
          in add (add (scale c x) (scale s (cross axis x))) (scale ((1 - c) * dot axis x) axis)

def project (cam: [11]f64) (x: [3]f64): (f64, f64) =
  let away = (x[0] - cam[3], x[1] - cam[4], x[2] - cam[5])
  let (u, v, w) = rotated (cam[0], cam[1], cam[2]) away
  let (u, v) = (u / w, v / w)
  let square = u * u + v * v
  let distortion = 1 + cam[9] * square + cam[10] * square * square
  in (u * distortion * cam[6] + cam[7], v * distortion * cam[6] + cam[8])

def error (feature: [2]f64) (cam: [11]f64, x: [3]f64, weight: f64): (f64, f64) =
  let (u, v) = project cam x
  in (weight * (u - feature[0]), weight * (v - feature[1]))

def penalty (weight: f64): f64 = 1 - weight * weight

entry ba [n] [m] [p]
         (cams: [n][11]f64)
         (xs: [m][3]f64)
         (weights: [p]f64)
         (seen: [p][2]i64)
         (features: [p][2]f64) =
  unzip3 (map3 (\weight s f ->
                  let (u, v) = error f (cams[s[0]], xs[s[1]], weight)
                  in (u, v, penalty weight))
               weights seen features)

-- | The entries of the Jacobian that are not zero: those of an observation by its camera, its point
-- and its weight, and those of the penalties.
entry ba_jacobian [n] [m] [p]
                  (cams: [n][11]f64)
                  (xs: [m][3]f64)
                  (weights: [p]f64)
                  (seen: [p][2]i64)
                  (features: [p][2]f64) =
  let block (weight: f64) (s: [2]i64) (f: [2]f64) =
    let at = (cams[s[0]], xs[s[1]], weight)
    let row (e: (f64, f64)) =
      let (cam, x, w) = vjp (error f) at e
      in cam ++ x ++ [w] :> [15]f64
    in ([row (1, 0), row (0, 1)], vjp penalty weight 1)
  in unzip (map3 block weights seen features)

-- | Half the sum of all squared errors.
def total [n] [m] [p]
          (seen: [p][2]i64)
          (features: [p][2]f64)
          (cams: [n][11]f64, xs: [m][3]f64, weights: [p]f64): f64 =
  f64.sum (map3 (\weight s f ->
                   let (u, v) = error f (cams[s[0]], xs[s[1]], weight)
                   let z = penalty weight
                   in 0.5 * (u * u + v * v + z * z))
                weights seen features)

entry ba_total [n] [m] [p]
               (cams: [n][11]f64)
               (xs: [m][3]f64)
               (weights: [p]f64)
               (seen: [p][2]i64)
               (features: [p][2]f64) =
  total seen features (cams, xs, weights)

entry ba_total_ad [n] [m] [p]
                  (cams: [n][11]f64)
                  (xs: [m][3]f64)
                  (weights: [p]f64)
                  (seen: [p][2]i64)
                  (features: [p][2]f64) =
  vjp2 (total seen features) (cams, xs, weights) 1
