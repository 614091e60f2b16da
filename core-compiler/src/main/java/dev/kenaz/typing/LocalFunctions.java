package dev.kenaz.typing;

import dev.kenaz.error.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Local functions without type parameters have one type, though with other sizes in each use: only
 * definitions at top level are made general in their types, too. They are inferred as if they were
 * general, for the sake of the sizes, and their uses compared afterwards.
 */
final class LocalFunctions {
  private final Session s;
  private final Map<VName, Uses> functions = new HashMap<>();
  private final List<Use> uses = new ArrayList<>();

  LocalFunctions(Session session) {
    this.s = session;
  }

  /**
   * @param written how many of the type parameters stand in the program
   */
  private record Uses(int written, List<TypeParam> params, List<List<TypeArg>> args) {}

  private record Use(VName function, List<TypeArg> args, Span span) {}

  /** Forgets those of a definition before, whose check may have ended with an error. */
  void reset() {
    functions.clear();
    uses.clear();
  }

  void declare(TypedDef def, int written) {
    if (def.typeParams().stream().skip(written).anyMatch(p -> p instanceof TypeParam.OfType)) {
      functions.put(def.name(), new Uses(written, def.typeParams(), new ArrayList<>()));
    }
  }

  void use(VName function, List<TypeArg> args, Span span) {
    if (functions.containsKey(function)) {
      uses.add(new Use(function, args, span));
    }
  }

  /** Compares the uses since {@link #reset}, of which all types are known by now. */
  void check() {
    for (var use : uses) {
      var f = functions.get(use.function());
      f.args().add(use.args());
      for (int i = f.written(); i < f.params().size(); i++) {
        if (use.args().get(i) instanceof TypeArg.OfType(var type)) {
          same(((TypeArg.OfType) f.args().getFirst().get(i)).type(), type, use);
        }
      }
    }
  }

  private void same(SType first, SType other, Use use) {
    try {
      s.unifier.unify(s.loops.blurred(first), s.loops.blurred(other));
    } catch (Mismatch m) {
      var printer = TypePrinter.ofTwo(Types.strip(other), Types.strip(first));
      throw Session.error(
          "K2007",
          use.span(),
          "The local function \"%s\" is used with \"%s\" here, but with \"%s\" before"
              .formatted(
                  use.function().base(),
                  printer.type(Types.strip(other)),
                  printer.type(Types.strip(first))),
          "give it a type parameter, `let %s 'a (x: a) = ...`".formatted(use.function().base()));
    }
  }
}
