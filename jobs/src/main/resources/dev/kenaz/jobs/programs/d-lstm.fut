-- The network D-LSTM, as ADBench defines it: layers of diagonal long short-term memory predict the
-- next character of a text. A layer's weights and biases are four vectors each, for the forget gate,
-- the input gate, the output gate and the change; its state is what it shows and its cell.

def sigmoid (x: f64): f64 = 1 / (1 + f64.exp (-x))

def layer [b] (weights: [4][b]f64) (biases: [4][b]f64) (state: [2][b]f64) (x: [b]f64): *[2][b]f64 =
  let gate (i: i64) (f: f64 -> f64) (x: [b]f64) =
    map3 (\x w b -> f (x * w + b)) x weights[i] biases[i]
  let forget = gate 0 sigmoid x
  let ingate = gate 1 sigmoid state[0]
  let outgate = gate 2 sigmoid x
  let change = gate 3 f64.tanh state[0]
  let cell = map4 (\c f i g -> c * f + i * g) state[1] forget ingate change
  in [map2 (\o c -> o * f64.tanh c) outgate cell, cell]

def loss [l] [b] [c]
         (state: [l][2][b]f64)
         (sequence: [c][b]f64)
         (main: [l][2][4][b]f64, extra: [3][b]f64): f64 =
  let (_, total) =
    loop (state, total) = (copy state, 0) for t < c - 1 do
      let first = map2 (*) sequence[t] extra[0]
      let (state, x) =
        loop (state, x) = (state, first) for i < l do
          let new = layer main[i, 0] main[i, 1] state[i] x
          let shown = copy new[0]
          in (state with [i] = new, shown)
      let said = map3 (\x w b -> x * w + b) x extra[1] extra[2]
      let norm = f64.log (2 + f64.sum (map f64.exp said))
      in (state, total + f64.sum (map2 (\y gold -> gold * (y - norm)) said sequence[t + 1]))
  in -total / f64.i64 ((c - 1) * b)

entry d_lstm [l] [b] [c]
             (main: [l][2][4][b]f64)
             (extra: [3][b]f64)
             (state: [l][2][b]f64)
             (sequence: [c][b]f64) =
  loss state sequence (main, extra)

entry d_lstm_ad [l] [b] [c]
                (main: [l][2][4][b]f64)
                (extra: [3][b]f64)
                (state: [l][2][b]f64)
                (sequence: [c][b]f64) =
  vjp2 (loss state sequence) (main, extra) 1
