import "lib/outcome"
open import "../../../../main/resources/dev/kenaz/library/kenaz/optimise"
module l = lbfgs f64
module ol = outcome f64 l
module a = adam f64
module oa = outcome f64 a
module g = gradient_descent f64
module og = outcome f64 g
module n = newton_cg f64
module on = outcome f64 n
module d = newton_diagonal f64
module od = outcome f64 d
module px = proximal f64
module op = outcome f64 px
module r = rmsprop f64
module or = outcome f64 r
def cases [p] it (f: (k: i64) -> (n: i64) -> (tol: f64) -> (b: i64) -> [p]f64 -> (bool,bool,f64,bool,bool,i64)) k (b: i64) x = f k it 1e-6 b x 
entry of_lbfgs [p] k b (x: [p]f64)= cases 1000 (ol.of l.defaults) k b x
entry of_adam [p] k b (x: [p]f64)= cases 10000 (oa.of (a.defaults with rate = 0.1 with schedule.decay = 0.999)) k b x
entry of_rms [p] k b (x: [p]f64)= cases 1000 (or.of (r.defaults with rate = 0.1 with schedule.decay = 0.99)) k b x
entry of_gd [p] k b (x: [p]f64)= cases 10000 (og.of g.defaults) k b x
entry of_nag [p] k b (x: [p]f64)= cases 10000 (og.of (g.defaults with momentum = 0.9 with nesterov=true)) k b x
entry of_ncg [p] k b (x: [p]f64)= cases 1000 (on.of n.defaults) k b x
entry of_nd [p] k b (x: [p]f64)= cases 1000 (od.of d.defaults) k b x
entry of_px [p] k b (x: [p]f64)= cases 1000 (op.of px.defaults) k b x
