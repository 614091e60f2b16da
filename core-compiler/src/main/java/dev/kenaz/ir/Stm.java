package dev.kenaz.ir;

import dev.kenaz.error.Span;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A statement is {@code let pattern = exp}. {@link TypeRules} says what has to fit.
 *
 * @param pattern one variable a result of the expression. A later variable's type may mention an
 *     earlier variable of the same pattern: that is how an array whose size the expression decides
 *     is bound ({@code let (m, xs: [m]i32) = ...}).
 * @param attrs such as {@code sequential} or {@code stripmine(2)}, as the user wrote them
 * @param span where in the source it comes from; run-time faults are reported there
 */
public record Stm(List<Var> pattern, Exp exp, List<Attr> attrs, Span span) {
  public Stm {
    pattern = List.copyOf(pattern);
    attrs = List.copyOf(attrs);
    if (TypeRules.WHEN_MADE) {
      TypeRules.statement(pattern, exp);
    }
  }

  public Stm(List<Var> pattern, Exp exp, Span span) {
    this(pattern, exp, List.of(), span);
  }

  /** Returns the statement with another expression. */
  public Stm with(Exp other) {
    return with(pattern, other);
  }

  /** Returns a statement with the same attributes at the same place. */
  public Stm with(List<Var> vars, Exp other) {
    return new Stm(vars, other, attrs, span);
  }

  /** Returns the variables that the statements bind, except in scopes inside. */
  public static Set<Var> bound(Collection<Stm> stms) {
    var all = new HashSet<Var>();
    stms.forEach(s -> all.addAll(s.pattern()));
    return all;
  }

  /** Returns the variable that the statement binds, which must be the only one. */
  public Var var() {
    if (pattern.size() != 1) {
      throw new IllegalStateException("binds " + pattern.size() + " variables");
    }
    return pattern.getFirst();
  }
}
