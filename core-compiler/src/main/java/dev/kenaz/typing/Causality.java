package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K3007;

import dev.kenaz.error.Span;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Checks that each size that only a value decides is decided before something needs it. Arguments
 * are evaluated before the function, and the last argument is evaluated first; but the left operand
 * of an operator is evaluated before the right one.
 */
final class Causality {
  private final Set<VName> later = new HashSet<>();

  /** The sizes that any expression of the definition decides. */
  private final Set<VName> decided = new HashSet<>();

  /**
   * Sizes that differ from call to call, in the types of parameters of the enclosing functions: no
   * array that these are given tells the sizes.
   */
  private final Set<VName> untold = new HashSet<>();

  private final Inference inference;

  private Causality(Inference inference) {
    this.inference = inference;
  }

  /**
   * @param def a definition whose types are all known
   */
  static void check(TypedDef def, Inference inference) {
    var c = new Causality(inference);
    binders(def.body(), true, c.decided);
    c.later.addAll(c.decided);
    c.exp(def.body());
  }

  /** Collects the sizes that an expression decides. */
  private static void binders(TypedExp e, boolean inFunctions, Set<VName> out) {
    if (e instanceof TypedExp.BindSizes b) {
      out.addAll(b.sizes());
    }
    if (inFunctions || !(e instanceof TypedExp.Lambda)) {
      Children.of(e).forEach(x -> binders(x, inFunctions, out));
    }
  }

  /**
   * Returns the call, with those arguments bound in front of it whose sizes are needed by arguments
   * on their left: the later passes evaluate arguments in the order in which they are written.
   */
  static TypedExp ordered(TypedExp.Apply call, Inference inference) {
    if (call.arguments().size() < 2 || isInfix(call)) {
      return call;
    }
    List<TypedExp> args = new ArrayList<>(call.arguments());
    List<TypedPattern.Name> names = new ArrayList<>();
    List<TypedExp> values = new ArrayList<>();
    for (int j = args.size() - 1; j > 0; j--) {
      var arg = args.get(j);
      Set<VName> mine = new HashSet<>();
      binders(arg, false, mine);
      if (!mine.isEmpty() && args.subList(0, j).stream().anyMatch(x -> mentions(x, mine))) {
        var name = new TypedPattern.Name(inference.fresh("arg"), arg.type(), arg.span());
        names.add(name);
        values.add(arg);
        args.set(j, new TypedExp.Var(name.name(), List.of(), arg.type(), arg.span()));
      }
    }
    TypedExp e = new TypedExp.Apply(call.function(), args, call.type(), call.span());
    for (int i = names.size() - 1; i >= 0; i--) {
      e = new TypedExp.Let(List.of(), names.get(i), values.get(i), e, e.type(), call.span());
    }
    return names.isEmpty() ? call : e;
  }

  private static boolean mentions(TypedExp e, Set<VName> sizes) {
    return mentions(e.type(), sizes)
        || switch (e) {
          case TypedExp.Var v -> mention(v.instantiation(), sizes);
          case TypedExp.Intrinsic i -> mention(i.instantiation(), sizes);
          default -> Children.of(e).stream().anyMatch(x -> mentions(x, sizes));
        };
  }

  private static boolean mention(List<TypeArg> args, Set<VName> sizes) {
    return args.stream()
        .anyMatch(
            a ->
                switch (a) {
                  case TypeArg.OfSize(var size) -> mentions(size, sizes);
                  case TypeArg.OfType(var type) -> mentions(type, sizes);
                });
  }

  private static boolean mentions(SType type, Set<VName> sizes) {
    boolean[] found = {false};
    eachName(type, v -> found[0] |= sizes.contains(v));
    return found[0];
  }

  private static boolean mentions(Size size, Set<VName> sizes) {
    boolean[] found = {false};
    SizeExps.eachName(size, v -> found[0] |= sizes.contains(v), _ -> {});
    return found[0];
  }

  /** Whether the function stands between its two arguments. */
  private static boolean isInfix(TypedExp.Apply a) {
    return a.arguments().size() == 2
        && before(a.arguments().getFirst().span(), a.function().span())
        && before(a.function().span(), a.arguments().getLast().span());
  }

  private static boolean before(Span a, Span b) {
    return a.line() < b.line() || a.line() == b.line() && a.column() < b.column();
  }

  private void exp(TypedExp e) {
    switch (e) {
      case TypedExp.Var v -> instantiated(v.instantiation(), e, 0);
      case TypedExp.Intrinsic i -> instantiated(i.instantiation(), e, 0);
      case TypedExp.Hole h -> needs(h.type(), e);
      case TypedExp.Apply a -> {
        (isInfix(a) ? a.arguments() : a.arguments().reversed()).forEach(this::exp);
        switch (a.function()) {
          case TypedExp.Var v -> instantiated(v.instantiation(), v, a.arguments().size());
          case TypedExp.Intrinsic i -> instantiated(i.instantiation(), i, a.arguments().size());
          case TypedExp f -> exp(f);
        }
      }
      case TypedExp.Lambda l -> lambda(l);
      // An array without elements has no element that could tell its size.
      case TypedExp.Array a when a.elements().isEmpty() -> needs(a.type(), e);
      case TypedExp.Construct c -> construct(c);
      default -> Children.of(e).forEach(this::exp);
    }
    if (e instanceof TypedExp.BindSizes b) {
      b.sizes().forEach(later::remove);
    }
  }

  /**
   * Checks the sizes that a function is instantiated with. A function reads sizes off the arrays
   * that it is given. A partial application needs the sizes of functions that it was given already,
   * and the sizes of what it will return.
   *
   * @param given how many arguments it is applied to
   */
  private void instantiated(List<TypeArg> args, TypedExp f, int given) {
    if (args.isEmpty()) {
      return;
    }
    Set<VName> read = new HashSet<>();
    List<SType> taken = new ArrayList<>();
    var type = Types.stripTop(f.type());
    for (; given > 0 && type instanceof SType.Arrow a; given--) {
      read.addAll(Types.constructive(a.param()));
      taken.add(a.param());
      type = Types.stripTop(a.result().type());
    }
    Set<VName> toCome = new HashSet<>();
    while (type instanceof SType.Arrow a) {
      toCome.addAll(Types.constructive(a.param()));
      type = Types.stripTop(a.result().type());
    }
    taken.add(type);
    toCome.removeIf(v -> taken.stream().anyMatch(t -> Types.mentions(t, v)));
    read.addAll(toCome);
    inside(read, () -> args.forEach(a -> needs(a, f)));
  }

  /** Runs a task in a scope where these sizes are known. */
  private void inside(Set<VName> known, Runnable task) {
    known.retainAll(later);
    later.removeAll(known);
    task.run();
    later.addAll(known);
  }

  /**
   * Checks an anonymous function. The sizes of its parameters are known once it is called, except
   * those that no array tells.
   */
  private void lambda(TypedExp.Lambda l) {
    Set<VName> known = new HashSet<>();
    Set<VName> mine = new HashSet<>();
    for (var p : l.params()) {
      known.addAll(Types.constructive(p.type()));
      eachName(
          p.type(),
          v -> {
            boolean open = later.contains(v) || !decided.contains(v);
            if (inference.wasReleased(v) && open && untold.add(v)) {
              mine.add(v);
            }
          });
    }
    inside(known, () -> exp(l.body()));
    untold.removeAll(mine);
  }

  /** A value of a sum type has arrays for the constructors that it does not have, too. */
  private void construct(TypedExp.Construct c) {
    c.payload().forEach(this::exp);
    Set<VName> known = new HashSet<>();
    c.payload().forEach(x -> known.addAll(Types.constructive(x.type())));
    eachName(
        c.type(),
        v -> {
          if (!known.contains(v)) {
            needs(v, c);
          }
        });
  }

  private static void eachName(SType type, Consumer<VName> task) {
    Types.each(type, _ -> {}, s -> SizeExps.eachName(s, task, _ -> {}));
  }

  private void needs(TypeArg a, TypedExp e) {
    switch (a) {
      case TypeArg.OfSize s -> SizeExps.eachName(s.size(), v -> needs(v, e), _ -> {});
      case TypeArg.OfType t -> needs(t.type(), e);
    }
  }

  private void needs(SType t, TypedExp e) {
    eachName(t, v -> needs(v, e));
  }

  private void needs(VName v, TypedExp e) {
    if (later.contains(v) || untold.contains(v)) {
      throw Session.error(
          K3007,
          e.span(),
          "Causality check: the size \"%s\" is needed here, but is decided only later"
              .formatted(v.base()),
          "bind the value that decides it with `let` before this");
    }
  }
}
