-- | Softmax (multinomial logistic) regression, with a penalty on the weights if `l2` is more than 0.
--
-- Columns: `x`, the features, and `y`, the number of the class, from 0 to `classes` - 1.

open import "common"
open class_scores f64

type model [k] [d] = {weights: [k][d]f64, bias: [k]f64, features: scale [d]}

entry init [n] [d] (x: [n][d]f64) (classes: i64) : model [classes] [d] =
  {weights = replicate classes (replicate d 0), bias = replicate classes 0, features = scale_of x}

-- | Optimisers see standardised features.
def reparametrise [k] [d] (from: model [k] [d]) (to: model [k] [d]) : model [k] [d] =
  let (weights, bias) =
    unzip (map2 (rescaled from.features) (zip from.weights from.bias) (zip to.weights to.bias))
  in {weights, bias, features = from.features}

def scores [k] [d] (m: model [k] [d]) (x: [d]f64) : [k]f64 =
  map2 (\w b -> f64.sum (map2 (*) w x) + b) m.weights m.bias

def surprise [k] [d] (m: model [k] [d]) (x: [d]f64) (y: i64) : f64 =
  let s = scores m x
  in logsumexp s - s[y]

entry loss [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (y: [n]i64) (l2: f64) : f64 =
  f64.sum (map2 (surprise m) x y) / f64.i64 n
  + l2 / 2 * f64.sum (map (\w -> f64.sum (map (** 2) w)) m.weights)

entry predict [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) : {class: [n]i64, probability: [n]f64} =
  let of_row x =
    let s = scores m x
    let c = class s
    in (c, f64.exp (s[c] - logsumexp s))
  let (classes, probabilities) = unzip (map of_row x)
  in {class = classes, probability = probabilities}

entry metrics [n] [k] [d] (m: model [k] [d]) (x: [n][d]f64) (y: [n]i64)
  : {accuracy: f64, log_loss: f64} =
  let rows = f64.i64 n
  let right = i64.sum (map2 (\x y -> i64.bool (class (scores m x) == y)) x y)
  in {accuracy = f64.i64 right / rows, log_loss = f64.sum (map2 (surprise m) x y) / rows}
