package dev.kenaz.ir;

/**
 * This is a {@link Rewriter} of statements and expressions that leaves operands, variables and
 * types.
 */
public interface CodeRewriter extends Rewriter {
  @Override
  default Atom atom(Atom atom) {
    return atom;
  }

  @Override
  default Var binder(Var v) {
    return v;
  }

  @Override
  default Type type(Type type) {
    return type;
  }
}
