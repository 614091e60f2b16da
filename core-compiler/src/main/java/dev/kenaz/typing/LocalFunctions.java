package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2007;

import dev.kenaz.error.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Gives local functions without type parameters one type, though with other sizes in each use: only
 * definitions at top level are made general in their types, too. They are inferred as if they were
 * general, for the sake of the sizes, and the types of their uses are unified afterwards.
 */
final class LocalFunctions {
  private final Session s;
  private final Map<VName, Uses> functions = new HashMap<>();

  /** The inferred type parameters: one local function may be used by another with its own. */
  private final Map<VName, TypeArg> types = new HashMap<>();

  private final List<Use> uses = new ArrayList<>();

  LocalFunctions(Session session) {
    this.s = session;
  }

  /**
   * @param types what each inferred type parameter is in all uses, to be found out; null for others
   */
  private record Uses(List<SType> types) {}

  private record Use(VName function, List<TypeArg> args, Span span) {}

  /** Forgets those of a definition before, whose check may have ended with an error. */
  void reset() {
    functions.clear();
    types.clear();
    uses.clear();
  }

  /**
   * @param written how many of the type parameters stand in the program
   */
  void declare(TypedDef def, int written) {
    List<SType> mine = new ArrayList<>();
    for (int i = 0; i < def.typeParams().size(); i++) {
      SType.Meta type = null;
      if (i >= written && def.typeParams().get(i) instanceof TypeParam.OfType(var name, _)) {
        type = s.inference.newType();
        type.level = Integer.MAX_VALUE;
        types.put(name, new TypeArg.OfType(type));
      }
      mine.add(type);
    }
    if (mine.stream().anyMatch(Objects::nonNull)) {
      functions.put(def.name(), new Uses(mine));
    }
  }

  void use(VName function, List<TypeArg> args, Span span) {
    if (functions.containsKey(function)) {
      uses.add(new Use(function, args, span));
    }
  }

  /** Unifies the uses since {@link #reset}, of which all types are known by now. */
  void check() {
    for (var use : uses) {
      var mine = functions.get(use.function()).types();
      for (int i = 0; i < mine.size(); i++) {
        if (mine.get(i) != null && use.args().get(i) instanceof TypeArg.OfType(var type)) {
          same(mine.get(i), Types.subst(type, types), use);
        }
      }
    }
  }

  private void same(SType first, SType other, Use use) {
    try {
      s.unifier.unify(first, s.loops.blurred(other));
    } catch (Mismatch m) {
      var printer = TypePrinter.ofTwo(Types.strip(other), Types.strip(first));
      throw Session.error(
          K2007,
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
