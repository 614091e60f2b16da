open import "multinomial"

type model [k] [d] = path [k] [d]

def init [d] (mean: [d]f64) (outputs: i64) : model [outputs] [d] = path_start outputs d

def step [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (y: [n]f64) (w: [n]f64) (mean: [d]f64) (scale: [d]f64)
                     (reg: f64) (alpha: f64) (intercept: bool) (standardise: bool) : (model [k] [d], f64) =
  let l1 = reg * alpha
  in shrink (cost x y w mean scale (reg - l1) intercept standardise) (map (l1 *) (relative scale standardise)) m
