-- | A small convolutional network for images of 28 x 28 grey pixels, such as MNIST's.
--
-- Columns: `x`, the 784 pixels of an image, from 0 to 255, and `y`, the number of the class, from 0 to
-- `classes` - 1.

open import "common"
open class_scores f32

type model [f] [g] [c] =
  {first: {weights: [f][5][5]f32, bias: [f]f32},
   second: {weights: [g][f][5][5]f32, bias: [g]f32},
   output: {weights: [c][g][4][4]f32, bias: [c]f32}}

-- | Weights begin as normal numbers whose variance keeps that of the signal (He et al., 2015).
entry init (seed: i64) (first: i64) (second: i64) (classes: i64) : model [first] [second] [classes] =
  let start seed inputs i = f32.f64 (f64.sqrt (2 / f64.i64 inputs) * normal seed i)
  in {first = {weights = unflatten_3d (tabulate (first * 5 * 5) (start seed 25)), bias = replicate first 0},
      second =
        {weights = map (\s -> unflatten_3d (tabulate (first * 5 * 5) (start s (25 * first))))
                       (map (\o -> seed + 1 + o) (iota second)),
         bias = replicate second 0},
      output =
        {weights = map (\s -> unflatten_3d (tabulate (second * 4 * 4) (start s (16 * second))))
                       (map (\o -> seed + 1 + second + o) (iota classes)),
         bias = replicate classes 0}}

def sum_3d [a] [b] [c] (x: [a][b][c]f32) : f32 = f32.sum (map (\x -> f32.sum (map f32.sum x)) x)

-- | The largest of four neighbours, if it is positive.
def pooled (value: i64 -> i64 -> f32) (i: i64) (j: i64) : f32 =
  f32.max (f32.max (value (2 * i) (2 * j)) (value (2 * i + 1) (2 * j)))
          (f32.max (value (2 * i) (2 * j + 1)) (value (2 * i + 1) (2 * j + 1)))
  |> f32.max 0

-- | Filters over all places of an image with several channels, then a quarter of the places. What the
-- filters see is one matrix, with a row for each place, so that they are a matrix product.
def layer [f] [g] [r] (m: i64) (image: [f][r][r]f32) (weights: [g][f][5][5]f32) (bias: [g]f32) : [g][m][m]f32 =
  let seen (place: i64) : [f * 5 * 5]f32 =
    let (i, j) = (place / (2 * m), place % (2 * m))
    in flatten_3d (tabulate_3d f 5 5 (\c y x -> image[c, i + y, j + x]))
  let places = tabulate (2 * m * (2 * m)) seen
  let filter (w: [f][5][5]f32) (b: f32) : [m][m]f32 =
    let w = flatten_3d w
    let values = map (\p -> b + f32.sum (map2 (*) w p)) places
    in tabulate_2d m m (pooled (\i j -> values[i * 2 * m + j]))
  in map2 filter weights bias

def scores [f] [g] [c] (m: model [f] [g] [c]) (x: [784]f32) : [c]f32 =
  let image = [unflatten (sized (28 * 28) (map (/ 255) x))]
  let features = layer 4 (layer 12 image (map (\w -> [w]) m.first.weights) m.first.bias) m.second.weights m.second.bias
  in map2 (\w b -> b + sum_3d (map2 (map2 (map2 (*))) w features)) m.output.weights m.output.bias

-- | The mean of the negative logarithms of the likelihoods.
entry loss [n] [f] [g] [c] (m: model [f] [g] [c]) (x: [n][784]f32) (y: [n]i64) : f32 =
  f32.sum (map2 (\x y -> let s = scores m x in logsumexp s - s[y]) x y) / f32.i64 n

entry metrics [n] [f] [g] [c] (m: model [f] [g] [c]) (x: [n][784]f32) (y: [n]i64) : {accuracy: f64} =
  {accuracy = f64.i64 (i64.sum (map2 (\x y -> i64.bool (class (scores m x) == y)) x y)) / f64.i64 n}

entry predict [n] [f] [g] [c] (m: model [f] [g] [c]) (x: [n][784]f32) : [n]i64 = map (\x -> class (scores m x)) x
