package dev.kenaz.ad;

import static dev.kenaz.error.ErrorCode.K6305;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.ir.EntryPoint.OpaqueArray;
import dev.kenaz.ir.EntryPoint.RecordType;
import dev.kenaz.ir.EntryPoint.SumType;
import dev.kenaz.ir.EntryPoint.Transparent;
import dev.kenaz.ir.Var;
import java.util.Set;
import java.util.TreeSet;

/** Which derivatives an entry point has. */
final class Differentiable {
  private Differentiable() {}

  /** Those parameters; all that hold floats if none is named. */
  static Set<Integer> parameters(EntryPoint entry, Set<Integer> named) {
    var by = new TreeSet<Integer>();
    for (int i = 0; i < entry.params().size(); i++) {
      var type = entry.params().get(i).type();
      if (named.isEmpty() ? tangible(type) : named.contains(i)) {
        by.add(i);
      }
      if (named.contains(i) && !tangible(type)) {
        var name = "parameter " + (i + 1) + " of " + entry.name();
        throw none(name + " has type " + type.text() + ", by which no derivative is taken");
      }
    }
    if (by.isEmpty()) {
      throw none(entry.name() + " has no parameter that holds floats");
    }
    return by;
  }

  /** The result as something that has tangents. */
  static void result(EntryPoint entry) {
    var type = entry.results().getFirst().type();
    if (!tangible(type)) {
      throw none(
          "the result of " + entry.name() + " has type " + type.text() + ", which holds no floats",
          "derivatives are those of floats: let the entry return some");
    }
  }

  /** Returns the result's type, which must be a float. */
  static Transparent scalar(EntryPoint entry, ExternalType type) {
    if (type instanceof Transparent t && t.rank() == 0 && t.prim().isFloat()) {
      return t;
    }
    throw none(
        "the result of " + entry.name() + " has type " + type.text() + ", which is no float",
        "vjp and jvp take derivatives of any function");
  }

  /** Returns the result's type, which must be a float or an array of floats. */
  static Transparent numbers(EntryPoint entry, ExternalType type) {
    if (type instanceof Transparent t && t.prim().isFloat()) {
      return t;
    }
    throw none(
        "the result of %s has type %s, which is no float and no array of floats"
            .formatted(entry.name(), type.text()),
        "vjp and jvp take derivatives of any function");
  }

  /** Returns the only parameter that is chosen, which must be an array of floats or one float. */
  static Var single(EntryPoint entry, Signature signature) {
    var chosen = signature.chosen();
    if (signature.by().size() != 1) {
      throw none(
          entry.name() + " has " + signature.by().size() + " parameters that hold floats",
          "name the one by which the matrix is wanted");
    }
    int i = signature.by().iterator().next();
    var type = entry.params().get(i).type();
    if (!(type instanceof Transparent)) {
      throw none(
          "parameter %s of %s has type %s, which is no float and no array of floats"
              .formatted(i + 1, entry.name(), type.text()),
          "vjp and jvp take derivatives of any function");
    }
    return chosen.getFirst();
  }

  /**
   * Whether a type has tangents of the same type: not so for sums, where a tangent would be of the
   * same constructor.
   */
  private static boolean tangible(ExternalType type) {
    return floats(type) && !sums(type);
  }

  private static boolean floats(ExternalType type) {
    return type.flat().stream().anyMatch(f -> f.prim().isFloat());
  }

  private static boolean sums(ExternalType type) {
    return switch (type) {
      case SumType _ -> true;
      case RecordType(_, var fields) -> fields.stream().anyMatch(f -> sums(f.type()));
      case OpaqueArray(_, var elem, _) -> sums(elem);
      case Transparent _, EntryPoint.Abstract _ -> false;
    };
  }

  private static UserError none(String message, String... hints) {
    return new UserError(K6305, message, hints);
  }
}
