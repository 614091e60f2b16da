package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2040;
import static dev.kenaz.error.ErrorCode.K2041;
import static dev.kenaz.error.ErrorCode.K2042;

import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Checks whether a match covers every value, by the usefulness of a last case that matches anything
 * (Maranget, "Warnings for pattern matching"), and whether each case can be reached.
 */
record Exhaustiveness(Session s) {
  void check(TypedExp.Match m) {
    List<List<TypedPattern>> rows = new ArrayList<>();
    for (var c : m.cases()) {
      if (witness(rows, List.of(c.pattern())).isEmpty()) {
        s.warn(K2041, c.pattern().span(), "this case is never reached: those before match it all");
      }
      rows.add(List.of(c.pattern()));
    }
    var any = new TypedPattern.Wildcard(m.subject().type(), m.span());
    var missing = witness(rows, List.of(any));
    if (missing.isPresent()) {
      throw Session.error(
          K2040,
          m.span(),
          "Unmatched cases in match expression",
          "not covered: " + missing.get().getFirst());
    }
  }

  void checkIrrefutable(TypedPattern p) {
    if (plain(p)) {
      return;
    }
    var any = new TypedPattern.Wildcard(Types.strip(p.type()), p.span());
    var missing = witness(List.of(List.of(p)), List.of(any));
    if (missing.isPresent()) {
      throw Session.error(
          K2042,
          p.span(),
          "Refutable pattern not allowed here: it does not match every value",
          "not matched: " + missing.get().getFirst());
    }
  }

  private static boolean plain(TypedPattern p) {
    return switch (p) {
      case TypedPattern.Name _, TypedPattern.Wildcard _ -> true;
      case TypedPattern.Record r -> r.fields().values().stream().allMatch(Exhaustiveness::plain);
      case TypedPattern.Attributed a -> plain(a.pattern());
      case TypedPattern.Constant _, TypedPattern.Pending _, TypedPattern.Construct _ -> false;
    };
  }

  /**
   * Returns, as text, a value that the last row matches and none of the others; nothing if there is
   * none.
   */
  private Optional<List<String>> witness(List<List<TypedPattern>> rows, List<TypedPattern> last) {
    if (last.isEmpty()) {
      return rows.isEmpty() ? Optional.of(List.of()) : Optional.empty();
    }
    var head = bare(last.getFirst());
    return switch (head) {
      case TypedPattern.Record r -> ofRecord(rows, last, new ArrayList<>(r.fields().keySet()));
      case TypedPattern.Construct c -> ofConstructor(rows, last, c.name(), payload(c));
      case TypedPattern.Constant c -> ofConstant(rows, last, c);
      case TypedPattern.Name _, TypedPattern.Wildcard _ -> ofAny(rows, last);
      case TypedPattern.Pending _, TypedPattern.Attributed _ -> Optional.of(wild(last.size()));
    };
  }

  private Optional<List<String>> ofAny(List<List<TypedPattern>> rows, List<TypedPattern> last) {
    var heads = rows.stream().map(r -> bare(r.getFirst())).toList();
    for (var h : heads) {
      if (h instanceof TypedPattern.Record r) {
        return ofRecord(rows, last, new ArrayList<>(r.fields().keySet()));
      }
    }
    var type = Types.stripTop(bare(last.getFirst()).type());
    if (type instanceof SType.Sum sum
        && heads.stream().anyMatch(h -> h instanceof TypedPattern.Construct)) {
      for (var c : sum.constructors().entrySet()) {
        var found = ofConstructor(rows, last, c.getKey(), c.getValue());
        if (found.isPresent()) {
          return found;
        }
      }
      return Optional.empty();
    }
    var constants =
        heads.stream()
            .filter(h -> h instanceof TypedPattern.Constant)
            .map(h -> (TypedPattern.Constant) h)
            .toList();
    if (!constants.isEmpty() && constants.getFirst().prim() == Prim.BOOL) {
      for (long bits = 0; bits < 2; bits++) {
        var c = new TypedPattern.Constant(Prim.BOOL, bits, last.getFirst().span());
        var found = ofConstant(rows, last, c);
        if (found.isPresent()) {
          return found;
        }
      }
      return Optional.empty();
    }
    // There are always more numbers than constants in the patterns.
    var others = rows.stream().filter(r -> isWild(r.getFirst())).map(Exhaustiveness::tail).toList();
    return witness(others, tail(last)).map(t -> cons("_", t));
  }

  private Optional<List<String>> ofConstant(
      List<List<TypedPattern>> rows, List<TypedPattern> last, TypedPattern.Constant c) {
    var matching =
        rows.stream()
            .filter(
                r ->
                    isWild(r.getFirst())
                        || bare(r.getFirst()) instanceof TypedPattern.Constant d
                            && d.bits() == c.bits())
            .map(Exhaustiveness::tail)
            .toList();
    var text =
        c.prim() == Prim.BOOL
            ? c.bits() == 1 ? "true" : "false"
            : new ScalarValue(c.prim(), c.bits()).toString();
    return witness(matching, tail(last)).map(t -> cons(text, t));
  }

  private Optional<List<String>> ofConstructor(
      List<List<TypedPattern>> rows, List<TypedPattern> last, String name, List<SType> payload) {
    List<List<TypedPattern>> matching = new ArrayList<>();
    for (var r : rows) {
      var expanded = constructor(r, name, payload);
      if (expanded != null) {
        matching.add(expanded);
      }
    }
    return witness(matching, constructor(last, name, payload))
        .map(
            t -> {
              var parts = t.subList(0, payload.size());
              var text =
                  "#" + name + parts.stream().map(p -> " " + p).collect(Collectors.joining());
              return cons(
                  parts.isEmpty() ? text : "(" + text + ")", t.subList(parts.size(), t.size()));
            });
  }

  /**
   * Returns a row with its head taken apart as this constructor; null if the head is another
   * constructor.
   */
  private static List<TypedPattern> constructor(
      List<TypedPattern> row, String name, List<SType> payload) {
    var head = bare(row.getFirst());
    List<TypedPattern> out = new ArrayList<>();
    if (head instanceof TypedPattern.Construct c) {
      if (!c.name().equals(name)) {
        return null;
      }
      out.addAll(c.payload());
    } else {
      payload.forEach(t -> out.add(new TypedPattern.Wildcard(t, head.span())));
    }
    out.addAll(tail(row));
    return out;
  }

  private Optional<List<String>> ofRecord(
      List<List<TypedPattern>> rows, List<TypedPattern> last, List<String> fields) {
    var expanded = rows.stream().map(r -> record(r, fields)).toList();
    return witness(expanded, record(last, fields))
        .map(
            t -> {
              var parts = t.subList(0, fields.size());
              return cons(recordText(fields, parts), t.subList(parts.size(), t.size()));
            });
  }

  private static String recordText(List<String> fields, List<String> parts) {
    if (Fields.isTuple(fields)) {
      return "(" + String.join(", ", parts) + ")";
    }
    List<String> texts =
        IntStream.range(0, fields.size())
            .mapToObj(i -> fields.get(i) + " = " + parts.get(i))
            .toList();
    return "{" + String.join(", ", texts) + "}";
  }

  private static List<TypedPattern> record(List<TypedPattern> row, List<String> fields) {
    var head = bare(row.getFirst());
    List<TypedPattern> out = new ArrayList<>();
    if (head instanceof TypedPattern.Record r) {
      fields.forEach(f -> out.add(r.fields().get(f)));
    } else {
      var type = Types.stripTop(head.type());
      for (var f : fields) {
        out.add(new TypedPattern.Wildcard(((SType.Record) type).fields().get(f), head.span()));
      }
    }
    out.addAll(tail(row));
    return out;
  }

  private static List<SType> payload(TypedPattern.Construct c) {
    return Types.stripTop(c.type()) instanceof SType.Sum s
        ? s.constructors().get(c.name())
        : c.payload().stream().map(TypedPattern::type).toList();
  }

  private static TypedPattern bare(TypedPattern p) {
    while (p instanceof TypedPattern.Attributed a) {
      p = a.pattern();
    }
    return p;
  }

  private static boolean isWild(TypedPattern p) {
    return bare(p) instanceof TypedPattern.Name || bare(p) instanceof TypedPattern.Wildcard;
  }

  private static <T> List<T> tail(List<T> xs) {
    return xs.subList(1, xs.size());
  }

  private static List<String> cons(String x, List<String> xs) {
    List<String> out = new ArrayList<>();
    out.add(x);
    out.addAll(xs);
    return out;
  }

  private static List<String> wild(int n) {
    return Collections.nCopies(n, "_");
  }
}
