package dev.kenaz.ir;

import static dev.kenaz.ir.TestPrograms.array;
import static dev.kenaz.ir.TestPrograms.main;
import static dev.kenaz.ir.TestPrograms.size;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.value.Prim;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PrinterTest {
  private static CoreProgram program() {
    var n = size("n");
    return main(
        List.of(n),
        List.of(array("xs", Prim.F32, n)),
        (b, xs) -> b.map(n, xs, (c, x) -> List.of(c.mul(x.getFirst(), x.getFirst()))));
  }

  @Test
  void renumbered() {
    assertEquals(
        """
        entry main = main sizes 1 (*xs: []f32) -> ([]f32)

        def main (n_0: i64, xs_1: [n_0]f32)
            -> ([n_0]f32) =
          let soac_2: [n_0]f32 =
            map n_0 (xs_1)
            fn (x_3: f32) -> (f32)
              let t_4: f32 = mul x_3 x_3
              in (t_4)
          in (soac_2)
        """,
        Printer.printRenumbered(program()));
    assertEquals(Printer.printRenumbered(program()), Printer.printRenumbered(program()));
  }
}
