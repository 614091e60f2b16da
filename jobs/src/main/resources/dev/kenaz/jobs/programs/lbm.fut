-- Lattice-Boltzmann: how a fluid flows through a periodic box with obstacles. A cell has 19
-- distributions, one for each velocity of a particle (D3Q19). In a step they move to the cell that
-- the velocity leads to; there they approach the equilibrium of its density and mean velocity (BGK,
-- with the rate omega). In an obstacle they turn back. Y. Qian, D. d'Humieres and P. Lallemand,
-- "Lattice BGK models for Navier-Stokes equation", 1992.

def velocities: [19][3]i64 =
  [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1],
   [1, 1, 0], [-1, 1, 0], [1, -1, 0], [-1, -1, 0], [1, 0, 1], [-1, 0, 1], [1, 0, -1],
   [-1, 0, -1], [0, 1, 1], [0, -1, 1], [0, 1, -1], [0, -1, -1]]

def back: [19]i64 = [0, 2, 1, 4, 3, 6, 5, 10, 9, 8, 7, 14, 13, 12, 11, 18, 17, 16, 15]

def weight (i: i64): f32 = if i == 0 then 1 / 3 else if i < 7 then 1 / 18 else 1 / 36

def equilibrium (rho: f32) (u: [3]f32) (i: i64): f32 =
  let along = f32.sum (map2 (\v x -> f32.i64 v * x) velocities[i] u)
  let squared = f32.sum (map (\x -> x * x) u)
  in weight i * rho * (1 + 3 * along + 4.5 * along * along - 1.5 * squared)

def collide (omega: f32) (solid: bool) (f: [19]f32): [19]f32 =
  if solid
  then map (\i -> f[i]) back
  else let rho = f32.sum f
       let momentum k = f32.sum (map2 (\v x -> f32.i64 v[k] * x) velocities f)
       let u = [momentum 0 / rho, momentum 1 / rho, momentum 2 / rho]
       in map2 (\i x -> x + omega * (equilibrium rho u i - x)) (iota 19) f

def step [nz] [ny] [nx]
         (omega: f32)
         (solid: [nz][ny][nx]bool)
         (cells: [nz][ny][nx][19]f32): [nz][ny][nx][19]f32 =
  let from i z y x =
    let v = velocities[i]
    in cells[(z - v[2] + nz) % nz, (y - v[1] + ny) % ny, (x - v[0] + nx) % nx, i]
  in tabulate_3d nz ny nx (\z y x ->
       collide omega solid[z, y, x] (tabulate 19 (\i -> from i z y x)))

entry lbm [nz] [ny] [nx]
          (steps: i64)
          (omega: f32)
          (solid: [nz][ny][nx]bool)
          (cells: [nz][ny][nx][19]f32): [nz][ny][nx][19]f32 =
  loop now = cells for _i < steps do step omega solid now

entry lbm_ad [nz] [ny] [nx]
             (steps: i64)
             (omega: f32)
             (solid: [nz][ny][nx]bool)
             (cells: [nz][ny][nx][19]f32)
             (adjoint: [nz][ny][nx][19]f32) =
  vjp2 (lbm steps omega solid) cells adjoint
