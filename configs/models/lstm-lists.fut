-- | A recurrent network with long short-term memory (Hochreiter and Schmidhuber, 1997) that predicts
-- each number of a sequence from those before it. Sequences may have any lengths.
--
-- Columns: `x`, the numbers of all sequences, one sequence after the other, and `length`, how many each
-- sequence has.

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

-- | The network after a number, and what it expects next.
def after [h] (m: model [h]) (x: f32) (state: [h]f32) (cell: [h]f32) : ([h]f32, [h]f32, f32) =
  let forget = map sigmoid (opening m.forget x state)
  let add = map sigmoid (opening m.add x state)
  let give = map sigmoid (opening m.give x state)
  let candidate = map f32.tanh (opening m.candidate x state)
  let cell = map4 (\f c a n -> f * c + a * n) forget cell add candidate
  let state = map2 (\g c -> g * f32.tanh c) give cell
  in (state, cell, m.output.bias + f32.sum (map2 (*) m.output.weights state))

-- | For each sequence the sum of its squared errors, and what is expected next.
def read [n] [w] [h] (m: model [h]) (length: [n]i64) (x: [w]f32) : [n](f32, f32) =
  let sequence first l =
    let (_, _, y, s) =
      loop (state, cell, y, s) = (replicate h 0, replicate h 0, 0, 0) for i < l do
        let now = x[first + i]
        let s = if i > 0 then s + (y - now) ** 2 else s
        let (state, cell, y) = after m now state cell
        in (state, cell, y, s)
    in (s, y)
  let ends = scan (+) 0 length
  in map2 sequence (map2 (-) ends length) length

-- | How many numbers there are that something is expected for.
def guesses [n] (length: [n]i64) : i64 = i64.max 1 (i64.sum (map (\l -> i64.max 0 (l - 1)) length))

entry loss [n] [w] [h] (m: model [h]) (length: [n]i64) (x: [w]f32) : f32 =
  f32.sum (map (.0) (read m length x)) / f32.i64 (guesses length)

entry metrics [n] [w] [h] (m: model [h]) (length: [n]i64) (x: [w]f32) : {rmse: f64} =
  {rmse = f64.sqrt (f64.sum (map (\(s, _) -> f64.f32 s) (read m length x)) / f64.i64 (guesses length))}

-- | The number that follows each sequence.
entry predict [n] [w] [h] (m: model [h]) (length: [n]i64) (x: [w]f32) : [n]f32 =
  map (.1) (read m length x)
