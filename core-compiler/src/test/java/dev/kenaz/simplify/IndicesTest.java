package dev.kenaz.simplify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.pipeline.Optimised;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which elements are read without a check. */
final class IndicesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "if i > 0 then xs[i - 1] else 0 ~ 0",
        "if 0 == i then 0 else xs[i - 1] ~ 0",
        "if i < n - 1 then xs[i + 1] else 0 ~ 0",
        "if i + 2 >= n then 0 else xs[i + 2] ~ 0",
        "if i > 0 && i < n - 1 then xs[i - 1] + xs[i + 1] else 0 ~ 0",
        "if i == 0 || i >= n - 1 then 0 else xs[i - 1] + xs[i + 1] ~ 0",
        "if i == 0 then 0 else if i == n - 1 then xs[i - 1] else xs[i + 1] ~ 0",
        "xs[i64.max 0 (i - 1)] + xs[i64.min (n - 1) (i + 1)] ~ 0",
        "xs[(i - 1) % n] + xs[(i + 1) % n] ~ 0",
        "if k >= 0 && k < n then xs[k] else 0 ~ 0",
        "if k + 1 >= 0 && k + 1 < n then xs[k + 1] else 0 ~ 0",
        "loop a = 0 for j < i do a + xs[j] ~ 0",
        "loop a = 0 for j < n - 1 do a + xs[j] * xs[j + 1] ~ 0",
        "xs[i64.max 0 (i64.min (n - 1) (i + 1))] ~ 0",
        "let j = i32.i64 k in if j >= 0 && j < 5 && n > 5 then xs[i64.i32 j] else 0 ~ 0",
        "if k >= 3 && k - 3 < n then xs[k - 3] else 0 ~ 0",
        // not so
        "xs[i64.i32 (i32.i64 i)] ~ 1",
        "let j = i32.i64 k in if j >= 0 && j < 5 && n >= 4 then xs[i64.i32 j] else 0 ~ 1",
        "if k + 3 >= 0 && k + 3 < n then xs[k] else 0 ~ 1",
        "if i > 0 then xs[i + 1] else 0 ~ 1",
        "if i > 0 then 0 else xs[i - 1] ~ 1",
        "if i > 0 || k > 3 then xs[i - 1] else 0 ~ 1",
        "if i <= n - 1 then xs[i + 1] else 0 ~ 1",
        "if i64.abs k < n then xs[k] else 0 ~ 1",
        "if k >= 0 && k + 1 < n then xs[k + 1] else 0 ~ 1",
        "if k < n then xs[k] else 0 ~ 1",
        "xs[i64.min 0 (i - 1)] ~ 1",
        "xs[i64.max (n - 1) (i + 1)] ~ 1",
        "if i + k < n + k then xs[i + 1] else 0 ~ 1",
      })
  void inside(String element, int checked) {
    var text = "entry main [n] (xs: [n]i64) (k: i64): [n]i64 = tabulate n (\\i -> " + element + ")";
    var found = new ArrayList<Exp>();
    new Rewriter() {
      @Override
      public Exp exp(Exp exp) {
        if (exp instanceof Index i && i.checked()) {
          found.add(i);
        }
        return Rewriter.super.exp(exp);
      }

      @Override
      public Atom atom(Atom atom) {
        return atom;
      }
    }.program(Optimised.text(text));
    assertEquals(checked, found.size(), List.copyOf(found).toString());
  }
}
