open import "multinomial"

type model [k] [d] = {weights: [k][d]f64, bias: [k]f64}

def init [d] (mean: [d]f64) (outputs: i64) : model [outputs] [d] =
  {weights = replicate outputs (replicate d 0), bias = replicate outputs 0}

def loss [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (y: [n]f64) (w: [n]f64) (mean: [d]f64) (scale: [d]f64)
                     (l2: f64) (intercept: bool) (standardise: bool) : f64 =
  cost x y w mean scale l2 intercept standardise (m.weights, m.bias)
