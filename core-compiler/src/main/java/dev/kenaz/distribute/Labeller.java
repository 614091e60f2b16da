package dev.kenaz.distribute;

import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Labels what statements bind, given the labels of what they use.
 *
 * <p>The rules are those of data parallelism over rows: a map over the rows keeps them sharded; a
 * reduction, histogram or accumulation over the rows gives, in every piece, a partial value under
 * the program's own operator; work on other dimensions keeps the label of what it works on. A
 * partial value may go through what is linear in its operator; anything else has to wait for the
 * combined value.
 *
 * <p>Labels and types agree: an array is sharded along the one dimension whose size is the number
 * of rows, and nothing else has that number as a size. {@link #label} holds every rule to it.
 */
final class Labeller {
  private final Spaces spaces;
  private final Map<Var, Label> labels = new HashMap<>();
  private final UserWords words = new UserWords();
  private final Map<Var, Exp> definitions = new HashMap<>();
  private final UniformArrays uniform = new UniformArrays();
  private final Map<Var, Span> spans = new HashMap<>();
  private final Set<Var> onlyOnce = new HashSet<>();

  Labeller(Spaces spaces) {
    this.spaces = spaces;
  }

  Spaces spaces() {
    return spaces;
  }

  Label of(Atom atom) {
    return atom instanceof Var v ? labels.getOrDefault(v, Label.REPLICATED) : Label.REPLICATED;
  }

  /** Labels a variable that is bound at this place. */
  void label(Span span, Var v, Label label) {
    if (label instanceof Label.Whole) {
      labels.put(v, label);
      return;
    }
    var sizes = RowsUse.sizesOf(v.type());
    int dim = label instanceof Label.Sharded(var d) ? d : -1;
    for (int i = 0; i < sizes.size(); i++) {
      if (spaces.has(sizes.get(i)) != (i == dim)) {
        throw Undistributable.at(
            span,
            words.of(v)
                + " has the dataset's number of rows as a size, but not, or not only, as its rows",
            "give it a size of its own, or compute its rows with a map over the dataset's");
      }
    }
    everywhere(span, "a size of " + words.of(v), sizes);
    labels.put(v, label);
  }

  /**
   * Demands that these values are the same in every piece, as they decide how something is
   * computed.
   */
  void everywhere(Span span, String role, List<? extends Atom> atoms) {
    for (var x : atoms) {
      if (of(x) != Label.REPLICATED) {
        throw Undistributable.at(
            span,
            role + " depends on all rows of the dataset, through " + words.of((Var) x),
            "compute it first, outside the operator, loop or branch, and use its result here");
      }
    }
  }

  /**
   * Returns the statements that update accumulators in the same way in every piece, each by the
   * variable that it binds first.
   */
  Set<Var> onlyOnce() {
    return onlyOnce;
  }

  /** Returns what messages call values. */
  UserWords words() {
    return words;
  }

  /** Returns the place where the variable is bound. */
  Span span(Var v) {
    return spans.getOrDefault(v, Span.NONE);
  }

  /** Whether the statement neither uses nor makes anything that has the dataset's rows. */
  boolean isReplicated(Stm stm) {
    return FreeVars.of(stm).stream().allMatch(v -> of(v) == Label.REPLICATED)
        && !spaces.asSize(stm);
  }

  /** Whether it is the number of rows of the dataset, where nothing else has rows of its own. */
  boolean isDatasetSize(Atom n) {
    return spaces.emptyTogether() && n.equals(spaces.all().iterator().next().rows());
  }

  private void define(Stm stm) {
    stm.pattern().forEach(v -> spans.put(v, stm.span()));
    words.define(stm);
    if (stm.pattern().size() == 1) {
      definitions.put(stm.var(), stm.exp());
      uniform.define(stm);
    }
  }

  /**
   * Returns the expression that the variable is bound to; null if its statement binds several
   * variables.
   */
  Exp definition(Var v) {
    return definitions.get(v);
  }

  /** Labels the statement's variables. */
  void stm(Stm stm) {
    define(stm);
    for (var v : FreeVars.of(stm)) {
      if (of(v) instanceof Label.Whole) {
        throw Undistributable.at(
            stm.span(), words.of(v) + " is in one place", "divide what computes it first");
      }
    }
    var results =
        isReplicated(stm)
            ? Label.replicated(stm.pattern().size())
            : new StmLabels(this, stm).results();
    for (int i = 0; i < results.size(); i++) {
      label(stm.span(), stm.pattern().get(i), results.get(i));
    }
  }

  /**
   * Labels a scope inside another, and returns the labels of its results. The operators that
   * combine them must be known outside, where the stages are.
   *
   * @param params what the scope binds besides its statements
   */
  List<Label> scope(Span span, List<Var> params, Body body) {
    var bound = new HashSet<>(params);
    for (var stm : body.stms()) {
      stm(stm);
      bound.addAll(stm.pattern());
    }
    var result = body.results().stream().map(this::of).toList();
    for (var label : result) {
      if (label instanceof Label.Partial(var group, _)) {
        checkGroup(span, group, bound, result);
      }
    }
    return result;
  }

  private void checkGroup(Span span, Label.Group group, Set<Var> bound, List<Label> result) {
    for (var free : FreeVars.of(group.op())) {
      if (bound.contains(free)) {
        throw Undistributable.at(
            span,
            "the combining operator needs " + words.of(free) + ", which is computed inside",
            "compute it first, outside the operator, loop or branch, and use its result here");
      }
    }
    for (int i = 0; i < group.size(); i++) {
      if (!result.contains(new Label.Partial(group, i))) {
        throw Undistributable.at(
            span,
            "only some components of a " + group.source() + " of tuples are kept",
            "return all of them from the operator, loop or branch around it");
      }
    }
  }

  /** Returns the value that all elements of an array have, if it is known. */
  Optional<Atom> fill(Atom x) {
    return uniform.element(x);
  }

  /** Whether an array holds nothing but the operator's neutral element. */
  private boolean isNeutral(Var array, Atom neutral) {
    boolean rows = definitions.get(array) instanceof Replicate(_, var x) && x.equals(neutral);
    var filled = fill(array);
    return rows || filled.isPresent() && filled.equals(fill(neutral));
  }

  boolean startsNeutral(List<Var> arrays, List<Atom> neutral) {
    for (int i = 0; i < arrays.size(); i++) {
      if (!isNeutral(arrays.get(i), neutral.get(i))) {
        return false;
      }
    }
    return true;
  }
}
