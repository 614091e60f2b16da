package dev.kenaz.distribute;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ScoreTest {
  @Test
  void score() throws Exception {
    var sizes = new java.util.HashMap<>(Map.of("n", 9L, "d", 3L, "k", 2L, "h", 4L, "m", 5L, "b", 6L, "v", 4L, "u", 3L));
    var folder = System.getProperty("score", "/tmp/kz/programs");
    var only = System.getProperty("only", "");
    var counts = new TreeMap<String, Integer>();
    try (var files = Files.list(Path.of(folder))) {
      for (var file : files.sorted().toList()) {
        for (var block : Arrays.stream(Files.readString(file).split("(?m)^== ")).skip(1).toList()) {
          var head = block.lines().findFirst().orElseThrow();
          if (!(file + head).contains(only)) continue;
          String result;
          if (Boolean.getBoolean("print")) {
            System.out.println(dev.kenaz.ir.Printer.print(WholeAndPieces.compiled(block.substring(head.length() + 1))).lines().map(x -> "#" + x).collect(java.util.stream.Collectors.joining("\n")));
          }
          try {
            var o = WholeAndPieces.compare(block.substring(head.length() + 1), sizes, 7, Set.of("n", "m"));
            result =
                switch (o) {
                  case WholeAndPieces.Same _ -> "PLANNED";
                  case WholeAndPieces.Refused(var why, var p) ->
                      p.isPresent() && p.get().gathered().isEmpty() ? "PLANNED" :
                      p.isPresent() ? "GATHERED " + p.get().gathered().stream().map(g -> g.why().span() + " " + g.why().message().replace("can't be computed over a dataset in pieces: ", "")).toList() : "REFUSED " + why.diagnostic().message();
                  case WholeAndPieces.Failing(var why) -> "FAILING " + why;
                  case WholeAndPieces.Different(var what) -> "DIFFERENT " + what;
                };
          } catch (Throwable t) {
            result = "CRASH " + t + " at " + Arrays.stream(t.getStackTrace()).limit(4).toList();
          }
          counts.merge(result.split(" ")[0], 1, Integer::sum);
          if (!result.equals("PLANNED")) {
            System.out.println("#" + file.getFileName() + ": " + head + ": " + result);
          }
        }
      }
    }
    System.out.println("#" + counts);
  }
}
