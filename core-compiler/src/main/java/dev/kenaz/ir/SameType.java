package dev.kenaz.ir;

import dev.kenaz.ir.EntryPoint.Abstract;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.Field;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.ir.EntryPoint.Variant;
import java.util.List;

/** When a value of one type can be given for another. */
public final class SameType {
  private SameType() {}

  /**
   * Whether one can be used as the other: hidden types by their identity in the program of both,
   * all else by what they are.
   */
  public static boolean same(ExternalType a, ExternalType b) {
    return switch (a) {
      case Transparent _ -> a.equals(b);
      case Abstract(_, var identity, _) ->
          b instanceof Abstract(_, var other, _) && identity.equals(other);
      case RecordType(_, var fields) ->
          b instanceof RecordType(_, var others) && sameFields(fields, others);
      case SumType(_, var variants, _) ->
          b instanceof SumType(_, var others, _) && sameVariants(variants, others);
      case OpaqueArray(_, var elem, var rank) ->
          b instanceof OpaqueArray(_, var elem2, var rank2) && rank == rank2 && same(elem, elem2);
    };
  }

  /** Whether a part of the type is hidden, so that it is another type in each program. */
  public static boolean hidden(ExternalType type) {
    return switch (type) {
      case Transparent _ -> false;
      case Abstract _ -> true;
      case RecordType(_, var fields) -> fields.stream().anyMatch(f -> hidden(f.type()));
      case SumType(_, var variants, _) ->
          variants.stream().flatMap(v -> v.payload().stream()).anyMatch(SameType::hidden);
      case OpaqueArray(_, var elem, _) -> hidden(elem);
    };
  }

  private static boolean sameFields(List<Field> a, List<Field> b) {
    return a.stream().map(Field::name).toList().equals(b.stream().map(Field::name).toList())
        && sameTypes(a.stream().map(Field::type).toList(), b.stream().map(Field::type).toList());
  }

  private static boolean sameVariants(List<Variant> a, List<Variant> b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      var x = a.get(i);
      var y = b.get(i);
      if (!x.name().equals(y.name()) || !sameTypes(x.payload(), y.payload())) {
        return false;
      }
    }
    return true;
  }

  private static boolean sameTypes(List<ExternalType> a, List<ExternalType> b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      if (!same(a.get(i), b.get(i))) {
        return false;
      }
    }
    return true;
  }
}
