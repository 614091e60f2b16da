package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * This is one combination of the values of all axes.
 *
 * @param axes the value of each axis, as it is called in tables
 * @param settings what is measured; texts have values in the place of {@code $name}
 */
record BenchmarkCell(SequencedMap<String, String> axes, ObjectNode settings)
    implements Serializable {
  private static final int NAME = 80;

  /** Returns the values of the axes as a text, such as {@code size=small mode=value}. */
  String title() {
    return axes.entrySet().stream()
        .map(a -> a.getKey() + "=" + a.getValue())
        .collect(Collectors.joining(" "));
  }

  /** Returns a name that is the same for the same axes and settings, and for no others. */
  String name() {
    var plain = title().replaceAll("[^A-Za-z0-9.=+,-]+", "_");
    var start = plain.substring(0, Math.min(NAME, plain.length()));
    return String.format(Locale.ROOT, "%s-%08x", start, (axes + settings.toString()).hashCode());
  }

  /** Returns the peer that is measured, or "kenaz". */
  String peer() {
    return settings.path(Cells.PEER).asText(Cells.KENAZ);
  }
}
