-- The kernel of XSBench: macroscopic cross sections of materials at given energies, by linear
-- interpolation in tables of nuclides, found through a grid of all their energies. A row of a table
-- has an energy and five cross sections; `index` has, for each point of the unionized grid, the row of
-- each nuclide.

def search [n] (grid: [n]f64) (e: f64): i64 =
  (loop (low, high) = (0, n - 1) while high - low > 1 do
     let middle = (low + high) / 2
     in if grid[middle] > e then (low, middle) else (middle, high)).0

def micro [k] [g] (tables: [k][g][6]f64) (nuclide: i64) (row: i64) (e: f64): [5]f64 =
  let low = tables[nuclide, i64.min row (g - 2)]
  let high = tables[nuclide, i64.min row (g - 2) + 1]
  let f = (high[0] - e) / (high[0] - low[0])
  in tabulate 5 (\i -> high[i + 1] - f * (high[i + 1] - low[i + 1]))

def macro [u] [k] [g] [m] [w]
          (grid: [u]f64)
          (index: [u][k]i32)
          (counts: [m]i64)
          (nuclides: [m][w]i64)
          (tables: [k][g][6]f64)
          (densities: [m][w]f64)
          (e: f64)
          (material: i64): [5]f64 =
  let at = search grid e
  in loop sums = replicate 5 0 for j < counts[material] do
       let nuclide = nuclides[material, j]
       let xs = micro tables nuclide (i64.i32 index[at, nuclide]) e
       in map2 (\s x -> s + x * densities[material, j]) sums xs

entry xsbench [u] [k] [g] [m] [w] [n]
              (grid: [u]f64)
              (index: [u][k]i32)
              (counts: [m]i64)
              (nuclides: [m][w]i64)
              (tables: [k][g][6]f64)
              (densities: [m][w]f64)
              (energies: [n]f64)
              (materials: [n]i64): [n][5]f64 =
  map2 (macro grid index counts nuclides tables densities) energies materials

entry xsbench_ad [u] [k] [g] [m] [w] [n]
                 (grid: [u]f64)
                 (index: [u][k]i32)
                 (counts: [m]i64)
                 (nuclides: [m][w]i64)
                 (tables: [k][g][6]f64)
                 (densities: [m][w]f64)
                 (energies: [n]f64)
                 (materials: [n]i64)
                 (adjoint: [n][5]f64) =
  let f (tables, densities) =
    xsbench grid index counts nuclides tables densities energies materials
  in vjp2 f (tables, densities) adjoint
