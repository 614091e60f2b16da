package app;

import dev.kenaz.Kenaz;

/** Compiles a program and calls it. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    try (var program = Kenaz.compile("entry total [n] (xs: [n]f64): f64 = f64.sum xs")) {
      System.out.println(program.entry("total").call(new double[] {1, 2, 4}).asDouble());
    }
  }
}
