-- A long short-term memory network over a batch of sequences, followed by a linear layer, and the
-- mean squared distance of what it says from the targets. The rows of the weights are in the order
-- input gate, forget gate, cell, output gate.

def dot [n] (xs: [n]f32) (ys: [n]f32): f32 = f32.sum (map2 (*) xs ys)

-- | The products of all rows of the one with all rows of the other.
def rows [n] [m] [d] (a: [n][d]f32) (b: [m][d]f32): [n][m]f32 = map (\x -> map (dot x) b) a

def sigmoid (x: f32): f32 = 1 / (1 + f32.exp (-x))

def loss [bs] [n] [d] [h]
         (input: [n][bs][d]f32)
         (target: [n][bs][d]f32)
         (hidden0: [bs][h]f32)
         (cell0: [bs][h]f32)
         (w_input: [4][h][d]f32)
         (w_hidden: [4][h][h]f32)
         (bias: [4][h]f32)
         (w_out: [d][h]f32)
         (bias_out: [d]f32): f32 =
  let gate (i: i64) (x: [bs][d]f32) (hidden: [bs][h]f32) (f: f32 -> f32) =
    map2 (map3 (\b u v -> f (b + u + v)) bias[i]) (rows x w_input[i]) (rows hidden w_hidden[i])
  let (_, _, outs) =
    loop (hidden, cell, outs) = (hidden0, cell0, replicate n (replicate bs (replicate h 0)))
    for t < n do
      let x = input[t]
      let i = gate 0 x hidden sigmoid
      let f = gate 1 x hidden sigmoid
      let g = gate 2 x hidden f32.tanh
      let o = gate 3 x hidden sigmoid
      let cell = map4 (map4 (\i f g c -> f * c + i * g)) i f g cell
      let hidden = map2 (map2 (\o c -> o * f32.tanh c)) o cell
      in (hidden, cell, outs with [t] = hidden)
  let said (hidden: [bs][h]f32) = map (map2 (+) bias_out) (rows hidden w_out)
  let distance (ys: [bs][d]f32) (zs: [bs][d]f32) =
    f32.sum (map2 (\y z -> f32.sum (map2 (\a b -> (a - b) * (a - b)) y z)) ys zs)
  in f32.sum (map2 (\o t -> distance (said o) t) outs target) / f32.i64 (n * bs * d)

entry lstm [bs] [n] [d] [h]
           (input: [n][bs][d]f32)
           (target: [n][bs][d]f32)
           (hidden0: [bs][h]f32)
           (cell0: [bs][h]f32)
           (w_input: [4][h][d]f32)
           (w_hidden: [4][h][h]f32)
           (bias: [4][h]f32)
           (w_out: [d][h]f32)
           (bias_out: [d]f32) =
  loss input target hidden0 cell0 w_input w_hidden bias w_out bias_out

entry lstm_ad [bs] [n] [d] [h]
              (input: [n][bs][d]f32)
              (target: [n][bs][d]f32)
              (hidden0: [bs][h]f32)
              (cell0: [bs][h]f32)
              (w_input: [4][h][d]f32)
              (w_hidden: [4][h][h]f32)
              (bias: [4][h]f32)
              (w_out: [d][h]f32)
              (bias_out: [d]f32) =
  vjp2 (\(w_input, w_hidden, bias, w_out, bias_out) ->
          loss input target hidden0 cell0 w_input w_hidden bias w_out bias_out)
       (w_input, w_hidden, bias, w_out, bias_out)
       1
