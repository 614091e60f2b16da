package dev.kenaz.jobs.tools.server;

import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.source.Attribute;
import dev.kenaz.source.Declaration;
import dev.kenaz.source.Parser;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Finds the attributes that a program's author gave to its entry points. */
public final class EntryAttributes {
  private EntryAttributes() {}

  /** Returns the attributes, without their brackets, by the names of the entry points. */
  public static Map<String, List<String>> of(ProgramSource source) {
    var found = new HashMap<String, List<String>>();
    for (var d : Parser.parse(source.root(), source.files().get(source.root())).declarations()) {
      if (d instanceof Declaration.Value v && !v.modifiers().attributes().isEmpty()) {
        var texts = v.modifiers().attributes().stream().map(EntryAttributes::text).toList();
        found.put(v.name(), texts);
      }
    }
    return found;
  }

  private static String text(Attribute a) {
    var arguments = a.arguments().stream().map(EntryAttributes::text);
    return a.arguments().isEmpty()
        ? a.name()
        : a.name() + arguments.collect(Collectors.joining(", ", "(", ")"));
  }
}
