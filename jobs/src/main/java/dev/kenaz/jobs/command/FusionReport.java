package dev.kenaz.jobs.command;

import dev.kenaz.pipeline.Compilation;
import dev.kenaz.pipeline.Pipelines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Prints which kinds of operators were fused how often in which program, as figure 18 of "A T2
 * Graph-Reduction Approach to Fusion" (2013) does.
 */
final class FusionReport {
  private FusionReport() {}

  static String of(CompilerOptions compiler, List<Path> more) throws IOException {
    var files = new ArrayList<>(List.of(compiler.file()));
    files.addAll(more);
    var columns = new LinkedHashMap<String, Map<String, Integer>>();
    var kinds = new TreeSet<String>();
    var header = new ArrayList<>(List.of("fused"));
    var lines = new ArrayList<>(List.of("lines of code"));
    for (var file : files) {
      var counts = counts(compiler.run(file, Pipelines.optimised(compiler.options())));
      kinds.addAll(counts.keySet());
      var name = file.getFileName().toString().replaceAll("\\.fut$", "");
      columns.put(name, counts);
      header.add(name);
      try (var text = Files.lines(file)) {
        lines.add(Long.toString(text.filter(l -> !l.isBlank() && !l.startsWith("--")).count()));
      }
    }
    var rows = new ArrayList<List<String>>(List.of(header, rule(header.size()), lines));
    for (var kind : kinds) {
      var row = new ArrayList<>(List.of(kind));
      columns.values().forEach(c -> row.add(c.containsKey(kind) ? c.get(kind).toString() : ""));
      rows.add(row);
    }
    var out = new StringBuilder();
    rows.forEach(r -> out.append("| ").append(String.join(" | ", r)).append(" |\n"));
    return out.toString();
  }

  private static List<String> rule(int columns) {
    return java.util.Collections.nCopies(columns, "---");
  }

  private static Map<String, Integer> counts(Compilation<?> compilation) {
    var sum = new LinkedHashMap<String, Integer>();
    for (var pass : compilation.passes()) {
      pass.counts().forEach((what, n) -> sum.merge(what, n, Integer::sum));
    }
    return sum;
  }
}
