-- Derivatives where inputs are at the edge: zeros, ties, infinities, nothing at all, indices out of range.

-- ==
-- entry: product
-- input { [2f64, 3f64, 4f64] } output { [46.0f64] [12.0f64, 8.0f64, 6.0f64] [17.0f64, 10.0f64, 7.0f64] }
-- input { [2f64, 0f64, 4f64] } output { [16.0f64] [0.0f64, 8.0f64, 0.0f64] [8.0f64, 10.0f64, 4.0f64] }
-- input { [0f64, 0f64, 4f64] } output { [0.0f64] [0.0f64, 0.0f64, 0.0f64] [8.0f64, 4.0f64, 0.0f64] }
-- input { [0f64, 0f64, 0f64] } output { [0.0f64] [0.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [0f64] } output { [1.0f64] [1.0f64] [0.0f64] }
-- input { empty([0]f64) } output { [0.0f64] empty([0]f64) empty([0]f64) }

-- ==
-- entry: prod_scan
-- input { [2f64, 3f64, 4f64] } output { [1.0f64, 7.0f64, 46.0f64] [43.0f64, 28.0f64, 18.0f64] [19.0f64, 11.0f64, 7.0f64] }
-- input { [2f64, 0f64, 4f64] } output { [1.0f64, 4.0f64, 16.0f64] [1.0f64, 28.0f64, 0.0f64] [10.0f64, 11.0f64, 4.0f64] }
-- input { [0f64, 0f64, 4f64] } output { [1.0f64, 0.0f64, 0.0f64] [1.0f64, 0.0f64, 0.0f64] [10.0f64, 5.0f64, 0.0f64] }
-- input { [0f64, 0f64, 0f64] } output { [1.0f64, 0.0f64, 0.0f64] [1.0f64, 0.0f64, 0.0f64] [2.0f64, 1.0f64, 0.0f64] }
-- input { [0f64] } output { [1.0f64] [1.0f64] [0.0f64] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: prod_hist
-- input { [2f64, 3f64, 4f64] } output { [1.0f64, 4.0f64] [1.0f64, 4.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64, 0f64, 4f64] } output { [1.0f64, 4.0f64] [1.0f64, 4.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [0f64, 0f64, 4f64] } output { [1.0f64, 4.0f64] [1.0f64, 4.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [0f64, 0f64, 0f64] } output { [1.0f64, 4.0f64] [1.0f64, 4.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [0f64] } output { [1.0f64, 0.0f64] [1.0f64] [0.0f64] }
-- input { empty([0]f64) } output { [0.0f64, 0.0f64] empty([0]f64) empty([0]f64) }

-- ==
-- entry: prod_rows
-- input { [2f64, 3f64, 4f64] } output { [10.0f64, 12.0f64, 10.0f64] [16.0f64, 12.0f64, 8.0f64] [6.0f64, 4.0f64, 2.0f64] }
-- input { [2f64, 0f64, 4f64] } output { [10.0f64, 0.0f64, 10.0f64] [16.0f64, 0.0f64, 8.0f64] [6.0f64, 4.0f64, 2.0f64] }
-- input { [0f64, 0f64, 4f64] } output { [4.0f64, 0.0f64, 4.0f64] [16.0f64, 0.0f64, 0.0f64] [6.0f64, 4.0f64, 2.0f64] }
-- input { [0f64, 0f64, 0f64] } output { [0.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] [6.0f64, 4.0f64, 2.0f64] }
-- input { [0f64] } output { [0.0f64] [0.0f64] [2.0f64] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: prod_twice
-- input { [2f64, 3f64, 4f64] } output { [2.0f64, 2.0f64, 2.0f64] }
-- input { [2f64, 0f64, 4f64] } output { [2.0f64, 2.0f64, 2.0f64] }
-- input { [0f64, 0f64, 4f64] } output { [2.0f64, 2.0f64, 2.0f64] }
-- input { [0f64, 0f64, 0f64] } output { [2.0f64, 2.0f64, 2.0f64] }
-- input { [0f64] } output { [0.0f64] }
-- input { empty([0]f64) } output { empty([0]f64) }

-- ==
-- entry: minima
-- input { [1f64, 3f64, 2f64] } output { [1.0f64, 0.0f64, 0.0f64] }
-- input { [2f64, 2f64, 2f64] } output { [1.0f64, 0.0f64, 0.0f64] }
-- input { [3f64, 1f64, 1f64, 3f64] } output { [0.0f64, 1.0f64, 0.0f64, 0.0f64] }
-- input { [f64.inf, 1f64, -f64.inf] } output { [0.0f64, 0.0f64, 1.0f64] }
-- input { [5f64] } output { [1.0f64] }
-- input { empty([0]f64) } output { empty([0]f64) }

-- ==
-- entry: maxima
-- input { [1f64, 3f64, 2f64] } output { [0.0f64, 1.0f64, 0.0f64] 2.0f64 }
-- input { [2f64, 2f64, 2f64] } output { [1.0f64, 0.0f64, 0.0f64] 1.0f64 }
-- input { [3f64, 1f64, 1f64, 3f64] } output { [1.0f64, 0.0f64, 0.0f64, 0.0f64] 1.0f64 }
-- input { [f64.inf, 1f64, -f64.inf] } output { [1.0f64, 0.0f64, 0.0f64] 1.0f64 }
-- input { [5f64] } output { [1.0f64] 1.0f64 }
-- input { empty([0]f64) } output { empty([0]f64) 0.0f64 }

-- ==
-- entry: min_scan
-- input { [1f64, 3f64, 2f64] } output { [1.0f64, 1.0f64, 1.0f64] [6.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64, 2f64, 2f64] } output { [1.0f64, 1.0f64, 1.0f64] [6.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [3f64, 1f64, 1f64, 3f64] } output { [1.0f64, 2.0f64, 2.0f64, 2.0f64] [1.0f64, 9.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64, 0.0f64] }
-- input { [5f64] } output { [1.0f64] [1.0f64] [0.0f64] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: max_scan
-- input { [1f64, 3f64, 2f64] } output { [2.0f64, 12.0f64, 12.0f64] [2.0f64, 30.0f64, 0.0f64] [2.0f64, 8.0f64, 0.0f64] }
-- input { [2f64, 2f64, 2f64] } output { [4.0f64, 4.0f64, 4.0f64] [24.0f64, 0.0f64, 0.0f64] [6.0f64, 0.0f64, 0.0f64] }
-- input { [3f64, 1f64, 1f64, 3f64] } output { [6.0f64, 6.0f64, 6.0f64, 6.0f64] [60.0f64, 0.0f64, 0.0f64, 0.0f64] [8.0f64, 0.0f64, 0.0f64, 0.0f64] }
-- input { [f64.inf, 1f64, -f64.inf] } output { [0.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [5f64] } output { [10.0f64] [10.0f64] [2.0f64] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: min_hist
-- input { [1f64, 3f64, 2f64] } output { [1.0f64, 2.0f64] [1.0f64, 2.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64, 2f64, 2f64] } output { [0.0f64, 2.0f64] [0.0f64, 2.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [3f64, 1f64, 1f64, 3f64] } output { [0.0f64, 2.0f64] [0.0f64, 2.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64, 0.0f64] }
-- input { [f64.inf, 1f64, -f64.inf] } output { [0.0f64, 2.0f64] [0.0f64, 2.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [5f64] } output { [0.0f64, 0.0f64] [0.0f64] [0.0f64] }
-- input { empty([0]f64) } output { [0.0f64, 0.0f64] empty([0]f64) empty([0]f64) }

-- ==
-- entry: max_rows
-- input { [1f64, 3f64, 2f64] } output { [3.0f64, 2.0f64, 3.0f64] [0.0f64, 2.0f64, 4.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64, 2f64, 2f64] } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [3f64, 1f64, 1f64, 3f64] } output { [1.0f64, 2.0f64, 3.0f64, 4.0f64] [1.0f64, 2.0f64, 3.0f64, 4.0f64] [0.0f64, 0.0f64, 0.0f64, 0.0f64] }
-- input { [f64.inf, 1f64, -f64.inf] } output { [1.0f64, 2.0f64, 1.0f64] [4.0f64, 2.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [5f64] } output { [1.0f64] [1.0f64] [0.0f64] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: min_general
-- input { [1f64, 3f64, 2f64] } output { [1.0f64] [1.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64, 2f64, 2f64] } output { [1.0f64] [1.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [3f64, 1f64, 1f64, 3f64] } output { [2.0f64] [0.0f64, 1.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64, 0.0f64] }
-- input { [f64.inf, 1f64, -f64.inf] } output { [3.0f64] [0.0f64, 0.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [5f64] } output { [1.0f64] [1.0f64] [0.0f64] }
-- input { empty([0]f64) } output { [0.0f64] empty([0]f64) empty([0]f64) }

-- ==
-- entry: ranges
-- input { [1f64, 3f64, 2f64] } output { [1.0f64, 2.0f64] [1.0f64, 2.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64, 2f64, 2f64] } output { [1.0f64, 1.0f64] [3.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [3f64, 1f64, 1f64, 3f64] } output { [2.0f64, 1.0f64] [2.0f64, 1.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64, 0.0f64] }
-- input { [f64.inf, 1f64, -f64.inf] } output { [3.0f64, 1.0f64] [2.0f64, 0.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [5f64] } output { [1.0f64, 1.0f64] [3.0f64] [0.0f64] }
-- input { empty([0]f64) } output { [0.0f64, 0.0f64] empty([0]f64) empty([0]f64) }

-- ==
-- entry: gathers
-- input { [1f64, 2f64, 3f64] [0i64, -1i64, 2i64] } output { [2.0f64, 0.0f64, 18.0f64] [2.0f64, 0.0f64, 18.0f64] [2.0f64, 0.0f64, 6.0f64] }
-- input { [1f64, 2f64, 3f64] [3i64, 7i64, -5i64] } output { [0.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] [1i64, 0i64, 2i64] } output { [8.0f64, 2.0f64, 18.0f64] [4.0f64, 4.0f64, 18.0f64] [2.0f64, 4.0f64, 6.0f64] }
-- input { [4f64] [0i64] } output { [8.0f64] [8.0f64] [2.0f64] }
-- input { empty([0]f64) empty([0]i64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: scatters
-- input { [1f64, 2f64, 3f64] [0i64, -1i64, 2i64] } output { [2.0f64, 4.0f64, 18.0f64] [2.0f64, 4.0f64, 18.0f64] [2.0f64, 0.0f64, 6.0f64] }
-- input { [1f64, 2f64, 3f64] [3i64, 7i64, -5i64] } output { [2.0f64, 4.0f64, 6.0f64] [2.0f64, 4.0f64, 6.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] [1i64, 0i64, 2i64] } output { [8.0f64, 2.0f64, 18.0f64] [4.0f64, 4.0f64, 18.0f64] [2.0f64, 4.0f64, 6.0f64] }
-- input { [4f64] [0i64] } output { [8.0f64] [8.0f64] [2.0f64] }
-- input { empty([0]f64) empty([0]i64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: hists
-- input { [1f64, 2f64, 3f64] [0i64, -1i64, 2i64] } output { [4.0f64, 4.0f64, 24.0f64] [4.0f64, 4.0f64, 24.0f64] [2.0f64, 0.0f64, 6.0f64] }
-- input { [1f64, 2f64, 3f64] [3i64, 7i64, -5i64] } output { [2.0f64, 4.0f64, 6.0f64] [2.0f64, 4.0f64, 6.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] [1i64, 0i64, 2i64] } output { [10.0f64, 6.0f64, 24.0f64] [6.0f64, 8.0f64, 24.0f64] [2.0f64, 4.0f64, 6.0f64] }
-- input { [4f64] [0i64] } output { [10.0f64] [10.0f64] [2.0f64] }
-- input { empty([0]f64) empty([0]i64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: hist_prod
-- input { [1f64, 2f64, 3f64] [0i64, -1i64, 2i64] } output { [4.0f64, 4.0f64, 36.0f64] [4.0f64, 4.0f64, 36.0f64] [4.0f64, 0.0f64, 12.0f64] }
-- input { [1f64, 2f64, 3f64] [3i64, 7i64, -5i64] } output { [2.0f64, 4.0f64, 6.0f64] [2.0f64, 4.0f64, 6.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] [1i64, 0i64, 2i64] } output { [8.0f64, 8.0f64, 36.0f64] [12.0f64, 6.0f64, 36.0f64] [8.0f64, 4.0f64, 12.0f64] }
-- input { [4f64] [0i64] } output { [16.0f64] [16.0f64] [4.0f64] }
-- input { empty([0]f64) empty([0]i64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: hist_gen
-- input { [1f64, 2f64, 3f64] [0i64, -1i64, 2i64] } output { [7.0f64, 4.0f64, 45.0f64] [7.0f64, 4.0f64, 45.0f64] [4.0f64, 0.0f64, 12.0f64] }
-- input { [1f64, 2f64, 3f64] [3i64, 7i64, -5i64] } output { [2.0f64, 4.0f64, 6.0f64] [2.0f64, 4.0f64, 6.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] [1i64, 0i64, 2i64] } output { [12.0f64, 13.0f64, 45.0f64] [16.0f64, 11.0f64, 45.0f64] [8.0f64, 4.0f64, 12.0f64] }
-- input { [4f64] [0i64] } output { [19.0f64] [19.0f64] [4.0f64] }
-- input { empty([0]f64) empty([0]i64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: rotations
-- input { [1f64, 2f64, 3f64] [0i64, -1i64, 2i64] } output { [6.0f64, 8.0f64, 6.0f64] [12.0f64, 8.0f64, 4.0f64] [6.0f64, 4.0f64, 2.0f64] }
-- input { [1f64, 2f64, 3f64] [3i64, 7i64, -5i64] } output { [6.0f64, 8.0f64, 6.0f64] [12.0f64, 8.0f64, 4.0f64] [6.0f64, 4.0f64, 2.0f64] }
-- input { [1f64, 2f64, 3f64] [1i64, 0i64, 2i64] } output { [12.0f64, 12.0f64, 2.0f64] [6.0f64, 9.0f64, 6.0f64] [2.0f64, 6.0f64, 4.0f64] }
-- input { [4f64] [0i64] } output { [8.0f64] [8.0f64] [2.0f64] }
-- input { empty([0]f64) empty([0]i64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: slices
-- input { [1f64, 2f64, 3f64] [0i64, -1i64, 2i64] } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] [3i64, 7i64, -5i64] } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] [1i64, 0i64, 2i64] } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [4f64] [0i64] } output { [1.0f64] [1.0f64] [0.0f64] }
-- input { empty([0]f64) empty([0]i64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: for_loop
-- input { [1f64, 2f64, 3f64] 3i64 } output { [1.3447296e7f64] [2241216.0f64, 2241216.0f64, 2241216.0f64] [1.56816e7f64, 1.56816e7f64, 1.56816e7f64] }
-- input { [1f64, 2f64, 3f64] 0i64 } output { [6.0f64] [1.0f64, 1.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] -2i64 } output { [6.0f64] [1.0f64, 1.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64] 1i64 } output { [4.0f64] [4.0f64] [2.0f64] }
-- input { empty([0]f64) 0i64 } output { [0.0f64] empty([0]f64) empty([0]f64) }

-- ==
-- entry: for_array
-- input { [1f64, 2f64, 3f64] 3i64 } output { [6.0f64, 27.0f64, 27.0f64] [48.0f64, 0.0f64, 31.0f64] [39.0f64, 0.0f64, 25.0f64] }
-- input { [1f64, 2f64, 3f64] 0i64 } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] -2i64 } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64] 1i64 } output { [4.0f64] [4.0f64] [2.0f64] }
-- input { empty([0]f64) 0i64 } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: while_loop
-- input { [1f64, 2f64, 3f64] 3i64 } output { [5184.0f64] [864.0f64, 864.0f64, 864.0f64] [2592.0f64, 2592.0f64, 2592.0f64] }
-- input { [1f64, 2f64, 3f64] 0i64 } output { [6.0f64] [1.0f64, 1.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] -2i64 } output { [6.0f64] [1.0f64, 1.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64] 1i64 } output { [4.0f64] [4.0f64] [2.0f64] }
-- input { empty([0]f64) 0i64 } output { [0.0f64] empty([0]f64) empty([0]f64) }

-- ==
-- entry: while_array
-- input { [1f64, 2f64, 3f64] 3i64 } output { [108.0f64, 2.0f64, 3.0f64] [27.0f64, 2.0f64, 30.0f64] [81.0f64, 0.0f64, 81.0f64] }
-- input { [1f64, 2f64, 3f64] 0i64 } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] -2i64 } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64] 1i64 } output { [4.0f64] [4.0f64] [2.0f64] }
-- input { empty([0]f64) 0i64 } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: growing
-- input { [1f64, 2f64, 3f64] 3i64 } output { [54544.0f64] [8.0f64, 1024.0f64, 17496.0f64] [56.0f64, 7168.0f64, 122472.0f64] }
-- input { [1f64, 2f64, 3f64] 0i64 } output { [6.0f64] [1.0f64, 1.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] -2i64 } output { [6.0f64] [1.0f64, 1.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64] 1i64 } output { [4.0f64] [4.0f64] [2.0f64] }
-- input { empty([0]f64) 0i64 } output { [0.0f64] empty([0]f64) empty([0]f64) }

-- ==
-- entry: shrinking
-- input { [1f64, 2f64, 3f64] 3i64 } output { [0.0f64] [0.0f64, 0.0f64, 0.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] 0i64 } output { [6.0f64] [1.0f64, 1.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] -2i64 } output { [6.0f64] [1.0f64, 1.0f64, 1.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64] 1i64 } output { [0.0f64] [0.0f64] [0.0f64] }
-- input { empty([0]f64) 0i64 } output { [0.0f64] empty([0]f64) empty([0]f64) }

-- ==
-- entry: strip
-- input { [1f64, 2f64, 3f64] 3i64 } output { [8.0f64, 2048.0f64, 52488.0f64] [8.0f64, 2048.0f64, 52488.0f64] [56.0f64, 7168.0f64, 122472.0f64] }
-- input { [1f64, 2f64, 3f64] 0i64 } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] -2i64 } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64] 1i64 } output { [4.0f64] [4.0f64] [2.0f64] }
-- input { empty([0]f64) 0i64 } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: checks
-- input { [1f64, 2f64, 3f64] 3i64 } output { [8.0f64, 2048.0f64, 52488.0f64] [8.0f64, 2048.0f64, 52488.0f64] [56.0f64, 7168.0f64, 122472.0f64] }
-- input { [1f64, 2f64, 3f64] 0i64 } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [1f64, 2f64, 3f64] -2i64 } output { [1.0f64, 2.0f64, 3.0f64] [1.0f64, 2.0f64, 3.0f64] [0.0f64, 0.0f64, 0.0f64] }
-- input { [2f64] 1i64 } output { [4.0f64] [4.0f64] [2.0f64] }
-- input { empty([0]f64) 0i64 } output { empty([0]f64) empty([0]f64) empty([0]f64) }

-- ==
-- entry: kinks
-- input { 0f64 0f64 } output { [[0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 3.0f64]] }
-- input { 1f64 1f64 } output { [[0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 0.7071067811865475f64, 0.7071067811865475f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 0.4f64, -0.2f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 3.0f64]] }
-- input { -1f64 0f64 } output { [[0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 1.0f64], [0.0f64, 0.0f64, -1.0f64, 0.0f64], [0.0f64, 0.0f64, -1.0f64, 0.0f64], [0.0f64, 0.0f64, -1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 0.5f64, 0.5f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 2.0f64, 0.0f64]] }
-- input { 0f64 2f64 } output { [[0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 1.0f64], [0.0f64, 0.0f64, 0.0f64, 1.0f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 0.3333333333333333f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 2.0f64, 0.0f64]] }
-- input { 2f64 0f64 } output { [[0.0f64, 0.0f64, 0.0f64, 1.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 1.0f64, 0.0f64], [0.0f64, 0.0f64, 0.2f64, -0.4f64], [0.0f64, 0.0f64, 0.0f64, 0.0f64], [0.0f64, 0.0f64, 0.0f64, 3.0f64]] }

-- ==
-- entry: powers
-- input { 0f64 } output { [0.0f64, 1.0f64, 0.0f64, 0.0f64, 1.0f64, 0.0f64, 2.0f64, 0.0f64, 0.0f64, 0.0f64] }
-- input { 2f64 } output { [0.0f64, 1.0f64, 4.0f64, 12.0f64, 1.0f64, 0.0f64, 2.0f64, 0.0f64, 12.0f64, 4.0f64] }
-- input { -2f64 } output { [0.0f64, 1.0f64, -4.0f64, 12.0f64, -1.0f64, 0.0f64, 2.0f64, 0.0f64, -12.0f64, -4.0f64] }


def both [n] (m: i64) (f: [n]f64 -> [m]f64) (xs: [n]f64) : ([m]f64, [n]f64, [n]f64) =
  (jvp f xs (tabulate n (\i -> 1 + f64.i64 i)),
   vjp f xs (tabulate m (\i -> 1 + f64.i64 i)),
   jvp (\ys -> vjp f ys (replicate m 1)) xs (tabulate n (\i -> 1 + f64.i64 i)))

entry product [n] (xs: [n]f64) = both 1 (\v -> [f64.product v]) xs
entry prod_scan [n] (xs: [n]f64) = both n (scan (*) 1) xs
entry prod_hist [n] (xs: [n]f64) = both 2 (\v -> reduce_by_index [1, 2] (*) 1 (map (% 3) (iota n)) v) xs
entry prod_rows [n] (xs: [n]f64) = both n (\v -> reduce (map2 (*)) (replicate n 1) [v, reverse v]) xs
entry prod_twice [n] (xs: [n]f64) = jvp (\ys -> jvp (\zs -> vjp f64.product zs 1) ys (replicate n 1)) xs (replicate n 1)

entry minima [n] (xs: [n]f64) = vjp f64.minimum xs 1
entry maxima [n] (xs: [n]f64) = (vjp f64.maximum xs 1, jvp f64.maximum xs (tabulate n (\i -> 1 + f64.i64 i)))
entry min_scan [n] (xs: [n]f64) = both n (scan f64.min f64.highest) xs
entry max_scan [n] (xs: [n]f64) = both n (\v -> scan f64.max f64.lowest v |> map (\x -> if f64.isinf x then 0 else x * x)) xs
entry min_hist [n] (xs: [n]f64) = both 2 (\v -> reduce_by_index [2, 9] f64.min f64.highest (map (% 3) (iota n)) v) xs
entry max_rows [n] (xs: [n]f64) = both n (\v -> reduce (map2 f64.max) (replicate n f64.lowest) [v, reverse v, map (+ 0) v]) xs
entry min_general [n] (xs: [n]f64) =
  both 1 (\v -> [(reduce (\(x, i) (y, j) -> if x < y || (x == y && i < j) then (x, i) else (y, j)) (f64.highest, 99) (zip v (iota n))).0]) xs
entry ranges [n] (xs: [n]f64) = both 2 (\v -> let (a, b) = reduce (\(a, b) (c, d) -> (f64.min a c, f64.max b d)) (f64.highest, f64.lowest) (zip v v) in [a, b]) xs

entry gathers [n] (xs: [n]f64) (is: [n]i64) = both n (\v -> map (\i -> if i >= 0 && i < n then v[i] * v[i] else 7) is) xs
entry scatters [n] (xs: [n]f64) (is: [n]i64) = both n (\v -> scatter (map (* 2) v) is (map (\x -> x * x) v)) xs
entry hists [n] (xs: [n]f64) (is: [n]i64) = both n (\v -> reduce_by_index (map (* 2) v) (+) 0 is (map (\x -> x * x) v)) xs
entry hist_prod [n] (xs: [n]f64) (is: [n]i64) = both n (\v -> reduce_by_index (map (* 2) v) (*) 1 is v) xs
entry hist_gen [n] (xs: [n]f64) (is: [n]i64) = both n (\v -> reduce_by_index (map (* 2) v) (\x y -> x + y + x * y) 0 is v) xs
entry rotations [n] (xs: [n]f64) (is: [n]i64) = both n (\v -> map2 (*) (if n > 0 then rotate is[0] v else v) (reverse v)) xs
entry slices [n] (xs: [n]f64) (_is: [n]i64) = both n (\v -> v[0:n/2] ++ v[n/2:n] ++ v[n:n] ++ v[0:0] :> [n]f64) xs

entry for_loop [n] (xs: [n]f64) (k: i64) = both 1 (\v -> [loop a = f64.sum v for i < k do a * a + f64.i64 i]) xs
entry for_array [n] (xs: [n]f64) (k: i64) = both n (\v -> loop a = copy v for i < k do if n > 0 then a with [i % n] = a[0] * a[n - 1] else a) xs
entry while_loop [n] (xs: [n]f64) (k: i64) = both 1 (\v -> [(loop (a, i) = (f64.sum v, 0) while i < k && a < 100 do (a * a, i + 1)).0]) xs
entry while_array [n] (xs: [n]f64) (k: i64) = both n (\v -> (loop (a, i) = (copy v, 0) while i < k do (if n > 0 then a with [0] = a[0] * a[n - 1] else a, i + 1)).0) xs
entry growing [n] (xs: [n]f64) (k: i64) = both 1 (\v -> [f64.sum (loop a = v for i < k do map (\x -> x * x) (a ++ [0.5]))]) xs
entry shrinking [n] (xs: [n]f64) (k: i64) = both 1 (\v -> [f64.sum (loop a = v for i < k do map (\x -> x * x) (take (i64.max 0 (length a - 1)) a))]) xs
entry strip [n] (xs: [n]f64) (k: i64) = both n (\v -> #[stripmine(2)] loop a = v for i < k do map (\x -> x * x) a) xs
entry checks [n] (xs: [n]f64) (k: i64) = both n (\v -> #[checkpoints(2)] loop a = v for i < k do map (\x -> x * x) a) xs

def all (f: (f64, f64) -> f64) (x: f64) (y: f64) = let (a, b) = vjp f (x, y) 1 in [a - jvp f (x, y) (1, 0), b - jvp f (x, y) (0, 1), a, b]
entry kinks (x: f64) (y: f64) =
  [all (\(a, b) -> f64.min a b) x y, all (\(a, b) -> f64.max a b) x y, all (\(a, b) -> f64.hypot a b) x y, all (\(a, _) -> f64.abs a) x y,
   all (\(a, b) -> f64.copysign a b) x y, all (\(a, b) -> a %  (b + 3)) x y, all (\(a, b) -> f64.atan2 a (b + 1)) x y,
   all (\(a, b) -> f64.floor a + f64.ceil b + f64.round a + f64.trunc b + f64.sgn a) x y, all (\(a, b) -> if a < b then a * 2 else b * 3) x y]
entry powers (x: f64) =
  [vjp (\y -> y ** 0) x 1, vjp (\y -> y ** 1) x 1, vjp (\y -> y ** 2) x 1, vjp (\y -> y ** 3) x 1, vjp (\y -> (y * y) ** 0.5) (x + 1) 1, vjp (\y -> 0 ** y) (x + 3) 1, jvp (\y -> vjp (\z -> z ** 2) y 1) x 1,
   jvp (\y -> vjp (\z -> z ** 1) y 1) x 1, jvp (\y -> jvp (\z -> z ** 3) y 1) x 1, vjp (\(y, k) -> y ** k) (x, 2) 1 |> (.0)]
