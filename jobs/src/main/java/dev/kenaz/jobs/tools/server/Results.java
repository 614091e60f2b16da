package dev.kenaz.jobs.tools.server;

import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Field;
import dev.kenaz.ir.EntryPoint.RecordType;
import java.util.List;

/** Makes several results of a tuple, for older clients. */
final class Results {
  private Results() {}

  static List<ExternalType> of(ExternalType type) {
    return type instanceof RecordType(_, var fields) && isTuple(fields)
        ? fields.stream().map(Field::type).toList()
        : List.of(type);
  }

  private static boolean isTuple(List<Field> fields) {
    for (int i = 0; i < fields.size(); i++) {
      if (!fields.get(i).name().equals("" + i)) {
        return false;
      }
    }
    return true;
  }
}
