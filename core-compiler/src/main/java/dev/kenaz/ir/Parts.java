package dev.kenaz.ir;

import java.util.List;
import java.util.function.UnaryOperator;

/** Rewrites the parts of one thing, and notes whether they all stayed what they were. */
final class Parts {
  private final Rewriter by;
  private boolean same = true;

  Parts(Rewriter by) {
    this.by = by;
  }

  /** Returns the old thing if all its parts stayed, and else the new one. */
  <T> T of(T old, T made) {
    return same ? old : made;
  }

  boolean same() {
    return same;
  }

  <T> T noted(T old, T made) {
    same &= old == made;
    return made;
  }

  /** The list with each element rewritten, in order; the list itself if they all stayed. */
  <T> List<T> each(List<T> list, UnaryOperator<T> rewrite) {
    return noted(list, Rewriter.each(list, rewrite));
  }

  Atom atom(Atom x) {
    return noted(x, by.atom(x));
  }

  List<Atom> atoms(List<Atom> xs) {
    return noted(xs, by.atoms(xs));
  }

  Var var(Var v) {
    return noted(v, by.var(v));
  }

  List<Var> vars(List<Var> vs) {
    return noted(vs, by.vars(vs));
  }

  Var binder(Var v) {
    return noted(v, by.binder(v));
  }

  List<Var> binders(List<Var> vs) {
    return noted(vs, by.binders(vs));
  }

  Type type(Type t) {
    return noted(t, by.type(t));
  }

  List<Type> types(List<Type> ts) {
    return each(ts, by::type);
  }

  List<DimSlice> dims(List<DimSlice> dims) {
    return each(dims, by::dim);
  }

  Body body(Body b) {
    return noted(b, by.body(b));
  }

  Lambda lambda(Lambda f) {
    return noted(f, by.lambda(f));
  }
}
