package dev.kenaz.ir;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.loopir.LoopPrinter;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.segir.SegPrinter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page on the intermediate forms shows its program in each of them, as the printers do. */
final class IrPageTest {
  private static final String PROGRAM =
      "def main [n] (xs: [n]f64) : f64 = f64.sum (map (\\x -> x * x) xs)";
  private static final Pattern TAG = Pattern.compile("(?<=[A-Za-z])([_.])(\\d+)\\b");

  @Test
  void showsWhatThePrintersPrint() throws Exception {
    var page = Files.readString(Path.of("../docs/ir.md"));
    var core = Optimised.text(PROGRAM);
    shows(page, PROGRAM);
    shows(page, Printer.printRenumbered(core).lines().skip(2).collect(Collectors.joining("\n")));
    shows(
        page, renumbered(SegPrinter.print(Pipelines.parallel(FlattenOptions.jvm(2)).apply(core))));
    shows(page, renumbered(LoopPrinter.print(Pipelines.loops(2).apply(core))));
  }

  private static void shows(String page, String text) {
    var indented = text.strip().indent(4);
    assertTrue(page.contains(indented), () -> "docs/ir.md doesn't show\n" + indented);
  }

  /** Tags are numbered from 0 in order of appearance. */
  private static String renumbered(String text) {
    var numbers = new HashMap<String, Integer>();
    return TAG.matcher(text)
        .replaceAll(m -> m.group(1) + numbers.computeIfAbsent(m.group(2), _ -> numbers.size()));
  }
}
