package dev.kenaz.jobs.tools;

import dev.kenaz.ir.EntryPoint.Abstract;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Transparent;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Prints values as the source language writes them. */
public final class ShownItem {
  private ShownItem() {}

  public static String of(Item item) {
    return switch (item.type()) {
      case Transparent _ -> item.flat().getFirst().toString();
      case RecordType(_, var fields) -> {
        var parts = Records.parts(item).stream().map(ShownItem::of).toList();
        boolean tuple = fields.stream().allMatch(f -> Character.isDigit(f.name().charAt(0)));
        if (tuple) {
          yield String.join(", ", parts).transform(s -> "(" + s + ")");
        }
        List<String> named =
            IntStream.range(0, parts.size())
                .mapToObj(i -> fields.get(i).name() + " = " + parts.get(i))
                .toList();
        yield named.stream().collect(Collectors.joining(", ", "{", "}"));
      }
      case SumType _ -> {
        var payload = Records.destruct(item).stream().map(ShownItem::closed);
        yield "#"
            + Records.variant(item).name()
            + payload.map(p -> " " + p).collect(Collectors.joining());
      }
      case OpaqueArray _ -> rows(item, List.of(), Arrays.shape(item));
      case Abstract a -> "<" + a.text() + ">";
    };
  }

  private static String closed(Item item) {
    return item.type() instanceof SumType ? "(" + of(item) + ")" : of(item);
  }

  private static String rows(Item array, List<Long> at, long[] shape) {
    if (at.size() == shape.length) {
      return of(Arrays.index(array, at));
    }
    var rows = new ArrayList<String>();
    for (long i = 0; i < shape[at.size()]; i++) {
      var deeper = new ArrayList<>(at);
      deeper.add(i);
      rows.add(rows(array, deeper, shape));
    }
    return rows.stream().collect(Collectors.joining(", ", "[", "]"));
  }
}
