-- | A network with one hidden layer, for classes.
--
-- Columns: `x`, the features, which `scale` brings to numbers of about 1, and `y`, the number of the
-- class, from 0 to `classes` - 1.

open import "common"
open class_scores f32

type layer [a] [b] = {weights: [b][a]f32, bias: [b]f32}
type model [d] [h] [c] = {hidden: layer [d] [h], output: layer [h] [c]}

-- | Weights of a layer begin as normal numbers whose variance keeps that of the signal (He et al., 2015).
def start_layer (seed: i64) (a: i64) (b: i64) : layer [a] [b] =
  let deviation = f64.sqrt (2 / f64.i64 a)
  in {weights = tabulate_2d b a (\i j -> f32.f64 (deviation * normal seed (i * a + j))), bias = replicate b 0}

entry init [n] [d] (x: [n][d]f32) (seed: i64) (hidden: i64) (classes: i64) : model [d] [hidden] [classes] =
  {hidden = start_layer seed d hidden, output = start_layer (seed + 1) hidden classes}

def apply [a] [b] (l: layer [a] [b]) (x: [a]f32) : [b]f32 =
  map2 (\w b -> f32.sum (map2 (*) w x) + b) l.weights l.bias

def scores [d] [h] [c] (m: model [d] [h] [c]) (scale: f32) (x: [d]f32) : [c]f32 =
  map (* scale) x |> apply m.hidden |> map (f32.max 0) |> apply m.output

-- | The mean of the negative logarithms of the likelihoods.
entry loss [n] [d] [h] [c] (m: model [d] [h] [c]) (x: [n][d]f32) (y: [n]i64) (scale: f32) : f32 =
  let surprise x y = let s = scores m scale x in logsumexp s - s[y]
  in f32.sum (map2 surprise x y) / f32.i64 n

entry metrics [n] [d] [h] [c] (m: model [d] [h] [c]) (x: [n][d]f32) (y: [n]i64) (scale: f32) : {accuracy: f64} =
  {accuracy = f64.i64 (i64.sum (map2 (\x y -> i64.bool (class (scores m scale x) == y)) x y)) / f64.i64 n}

entry predict [n] [d] [h] [c] (m: model [d] [h] [c]) (x: [n][d]f32) (scale: f32) : [n]i64 =
  map (\x -> class (scores m scale x)) x
