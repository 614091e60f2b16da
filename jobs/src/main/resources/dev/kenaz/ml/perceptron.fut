-- | What networks of layers have in common that are connected in full, as the estimator
-- MultilayerPerceptronClassifier of Spark's MLlib has them. The functions of each depth are written by
-- dev.kenaz.jobs.ml.Perceptron.

import "builtin:common"
module scores = class_scores f64

-- | The weights of a layer: those of `start`, which has them by columns from `from`, or, if `start` is empty,
-- normal numbers for which neither signal nor slope grows (Glorot and Bengio, 2010).
def start_weights [p] (start: [p]f64) (from: i64) (seed: i64) (a: i64) (b: i64) : [b][a]f64 =
  let deviation = f64.sqrt (2 / f64.i64 (a + b))
  in tabulate_2d b a (\i j -> if p > 0 then start[from + i + j * b] else deviation * normal (seed + from) (i * a + j))

def start_bias [p] (start: [p]f64) (from: i64) (b: i64) : [b]f64 =
  tabulate b (\i -> if p > 0 then start[from + i] else 0)

def layer [a] [b] (weights: [b][a]f64) (bias: [b]f64) (x: [a]f64) : [b]f64 =
  map2 (\w c -> f64.sum (map2 (*) w x) + c) weights bias

def sigmoid (z: f64) : f64 = 1 / (1 + f64.exp (-z))

-- | The negative logarithm of the likelihood of a class.
def surprise [k] (s: [k]f64) (y: f64) : f64 = scores.logsumexp s - s[i64.f64 y]
