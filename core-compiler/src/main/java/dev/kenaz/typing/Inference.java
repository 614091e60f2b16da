package dev.kenaz.typing;

import dev.kenaz.typing.Constraint.Ability;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The state of inference: it makes fresh names and unknowns, and knows the depth of the current
 * scope, and at which depth each size or type name in scope was bound. An unknown can't become
 * something that mentions a name bound deeper than it.
 */
final class Inference {
  static final Constraint NUMERIC = oneOf(Prim::isInteger, Prim::isFloat);

  private final int firstTag;
  private int nextTag;
  private int nextMeta;
  private int level;
  private final Map<VName, Integer> levels = new HashMap<>();

  /**
   * Existential sizes that left their function type because a lifted type variable stood for that;
   * the call binds them.
   */
  private List<VName> released = new ArrayList<>();

  /**
   * All sizes that were ever released. Where a function takes a value with such a size, no value
   * tells the size.
   */
  private final Set<VName> everReleased = new HashSet<>();

  Inference(int firstTag) {
    this.firstTag = firstTag;
    this.nextTag = firstTag;
  }

  @SafeVarargs
  static Constraint oneOf(Predicate<Prim>... any) {
    var set = EnumSet.noneOf(Prim.class);
    for (var p : Prim.values()) {
      for (var test : any) {
        if (test.test(p)) {
          set.add(p);
        }
      }
    }
    return new Constraint.OneOf(set);
  }

  VName fresh(String base) {
    return new VName(base, nextTag++);
  }

  int nextTag() {
    return nextTag;
  }

  SType.Meta newType(Constraint c) {
    return new SType.Meta(nextMeta++, level, c);
  }

  SType.Meta newType() {
    return newType(new Constraint.Any(Ability.ANY));
  }

  SType.Meta newElement() {
    return newType(Constraint.UNLIFTED);
  }

  Size.Meta newSize(String hint) {
    return new Size.Meta(nextMeta++, level, hint);
  }

  /** Returns a size that need not be inferred, as it is checked when the program runs. */
  Size.Meta anySize() {
    return anySize("");
  }

  Size.Meta anySize(String hint) {
    var m = newSize(hint);
    m.level = Integer.MAX_VALUE;
    return m;
  }

  /** The sizes that were released since {@link #takeReleased} was called last. */
  List<VName> released() {
    return released;
  }

  int level() {
    return level;
  }

  void enter() {
    level++;
  }

  void leave() {
    level--;
  }

  void setLevel(int level) {
    this.level = level;
  }

  /** Binds a name in the current scope, whose types may then mention it. */
  VName bindHere(VName v) {
    levels.put(v, level);
    return v;
  }

  VName freshSize(String base) {
    return bindHere(fresh(base));
  }

  /**
   * Returns the depth at which a name was bound; a name that is not in scope is deeper than
   * anything.
   */
  int levelOf(VName v) {
    return v.tag() < firstTag ? 0 : levels.getOrDefault(v, Integer.MAX_VALUE);
  }

  /** Releases an existential size from its function type; the call around it binds it. */
  void release(VName v) {
    bindHere(v);
    released.add(v);
    everReleased.add(v);
  }

  boolean wasReleased(VName v) {
    return everReleased.contains(v);
  }

  /** Takes a name out of scope again. */
  void unbind(VName v) {
    levels.remove(v);
  }

  /** Returns the sizes that were released since the last call of this method. */
  List<VName> takeReleased() {
    if (released.isEmpty()) {
      return List.of();
    }
    var out = released;
    released = new ArrayList<>();
    return out;
  }

  /** Returns fresh unknowns for a scheme's parameters. */
  List<TypeArg> instantiate(List<TypeParam> params) {
    if (params.isEmpty()) {
      return List.of();
    }
    List<TypeArg> args = new ArrayList<>(params.size());
    for (var p : params) {
      args.add(
          switch (p) {
            case TypeParam.OfSize s -> new TypeArg.OfSize(newSize(s.name().base()));
            case TypeParam.OfType t -> new TypeArg.OfType(newType(ability(t)));
          });
    }
    return args;
  }

  static Constraint ability(TypeParam.OfType t) {
    return switch (t.liftedness()) {
      case UNLIFTED -> Constraint.UNLIFTED;
      case SIZE_LIFTED -> new Constraint.Any(Ability.SIZE_LIFTED);
      case LIFTED -> new Constraint.Any(Ability.ANY);
    };
  }
}
