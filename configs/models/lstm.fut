-- | A recurrent network with long short-term memory (Hochreiter and Schmidhuber, 1997) that predicts
-- each number of a sequence from those before it.
--
-- Columns: `x`, sequences of equal lengths: a column of lists, or a column for each time.

open import "common"

-- | A gate has weights for the input, for the hidden state and a bias.
type gate [h] = {input: [h]f32, state: [h][h]f32, bias: [h]f32}

type model [h] =
  {forget: gate [h], add: gate [h], give: gate [h], candidate: gate [h], output: {weights: [h]f32, bias: f32}}

entry init (hidden: i64) (seed: i64) : model [hidden] =
  let deviation = 1 / f64.sqrt (f64.i64 hidden)
  let start i = f32.f64 (deviation * normal seed i)
  let gate (number: i64) (bias: f32) : gate [hidden] =
    let first = number * hidden * (hidden + 1)
    in {input = tabulate hidden (\i -> start (first + i)),
        state = tabulate_2d hidden hidden (\i j -> start (first + hidden * (i + 1) + j)),
        bias = replicate hidden bias}
  in {forget = gate 0 1,
      add = gate 1 0,
      give = gate 2 0,
      candidate = gate 3 0,
      output = {weights = tabulate hidden (\i -> start (4 * hidden * (hidden + 1) + i)), bias = 0}}

def sigmoid (x: f32) : f32 = 1 / (1 + f32.exp (-x))

def opening [h] (g: gate [h]) (x: f32) (state: [h]f32) : [h]f32 =
  map3 (\w row b -> w * x + f32.sum (map2 (*) row state) + b) g.input g.state g.bias

-- | What the network expects after each number.
def expected [t] [h] (m: model [h]) (x: [t]f32) : [t]f32 =
  let (_, _, y) =
    loop (state, cell, y) = (replicate h 0, replicate h 0, replicate t 0) for i < t do
      let forget = map sigmoid (opening m.forget x[i] state)
      let add = map sigmoid (opening m.add x[i] state)
      let give = map sigmoid (opening m.give x[i] state)
      let candidate = map f32.tanh (opening m.candidate x[i] state)
      let cell = map4 (\f c a n -> f * c + a * n) forget cell add candidate
      let state = map2 (\g c -> g * f32.tanh c) give cell
      in (state, cell, y with [i] = m.output.bias + f32.sum (map2 (*) m.output.weights state))
  in y

-- | The squares of the errors of a sequence.
def errors [t] [h] (m: model [h]) (x: [t]f32) : f32 =
  let y = expected m x
  in f32.sum (tabulate (t - 1) (\i -> (y[i] - x[i + 1]) ** 2))

entry loss [n] [t] [h] (m: model [h]) (x: [n][t]f32) : f32 =
  f32.sum (map (errors m) x) / f32.i64 (n * (t - 1))

entry metrics [n] [t] [h] (m: model [h]) (x: [n][t]f32) : {rmse: f64} =
  {rmse = f64.sqrt (f64.sum (map (\x -> f64.f32 (errors m x)) x) / f64.i64 (n * (t - 1)))}

-- | The number that follows each sequence.
entry predict [n] [t] [h] (m: model [h]) (x: [n][t]f32) : [n]f32 = map (\x -> (expected m x)[t - 1]) x
