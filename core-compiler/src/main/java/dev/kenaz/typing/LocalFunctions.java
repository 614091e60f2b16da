package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2007;

import dev.kenaz.error.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Gives a local function without type parameters one type, which may have other sizes in each use:
 * only definitions at top level are general in their types too. For the sake of the sizes a local
 * function is inferred as if it were general, and the types of its uses are unified afterwards.
 */
final class LocalFunctions {
  private final Session s;
  private final Map<VName, Uses> functions = new HashMap<>();

  /**
   * For each inferred type parameter the type that it stands for. One local function may use
   * another one with type parameters of its own.
   */
  private final Map<VName, TypeArg> types = new HashMap<>();

  private final List<Use> uses = new ArrayList<>();

  LocalFunctions(Session session) {
    this.s = session;
  }

  /**
   * @param types for each inferred type parameter an unknown, which becomes its type in all uses;
   *     null for other parameters
   */
  private record Uses(List<SType> types) {}

  private record Use(VName function, List<TypeArg> args, Span span) {}

  /**
   * Forgets the local functions of the definition before, whose check may have ended with an error.
   */
  void reset() {
    functions.clear();
    types.clear();
    uses.clear();
  }

  /**
   * @param written how many of the type parameters are written in the program
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

  /** Unifies the types of all uses since {@link #reset}; all of these types are known by now. */
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
