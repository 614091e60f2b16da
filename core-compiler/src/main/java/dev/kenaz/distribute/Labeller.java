package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
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
 */
final class Labeller {
  private final Var rows;
  private final Map<Var, Label> labels = new HashMap<>();
  private final Map<Var, Exp> definitions = new HashMap<>();
  private final Set<Var> onlyOnce = new HashSet<>();

  Labeller(Var rows) {
    this.rows = rows;
  }

  Var rows() {
    return rows;
  }

  Label of(Atom atom) {
    return atom instanceof Var v ? labels.getOrDefault(v, Label.REPLICATED) : Label.REPLICATED;
  }

  void label(Var v, Label label) {
    labels.put(v, label);
  }

  /** Statements, by what they bind first, that update accumulators the same way in every piece. */
  Set<Var> onlyOnce() {
    return onlyOnce;
  }

  /** Whether the statement neither uses nor makes anything that has the dataset's rows. */
  boolean isReplicated(Stm stm) {
    return FreeVars.of(stm).stream().allMatch(v -> of(v) == Label.REPLICATED)
        && !RowsUse.asSize(stm, rows);
  }

  void define(Stm stm) {
    if (stm.pattern().size() == 1) {
      definitions.put(stm.var(), stm.exp());
    }
  }

  /** Labels the statement's variables. */
  void stm(Stm stm) {
    define(stm);
    var results =
        isReplicated(stm)
            ? Label.replicated(stm.pattern().size())
            : new StmLabels(this, stm).results();
    for (int i = 0; i < results.size(); i++) {
      label(stm.pattern().get(i), results.get(i));
    }
  }

  List<Label> body(Body body) {
    body.stms().forEach(this::stm);
    return body.results().stream().map(this::of).toList();
  }

  /** The constant that an array is full of. */
  Optional<Const> fill(Atom atom) {
    return switch (atom) {
      case Const c -> Optional.of(c);
      case Var v ->
          switch (definitions.get(v)) {
            case null -> Optional.empty();
            case Replicate(_, var x) -> fill(x);
            case Copied(var x) -> fill(x);
            case Fresh(var x) -> fill(x);
            case Reshape(_, var x) -> fill(x);
            default -> Optional.empty();
          };
    };
  }

  /** Whether an array holds nothing but the operator's neutral element. */
  boolean isNeutral(Var array, Atom neutral) {
    var filled = fill(array);
    return filled.isPresent() && filled.equals(fill(neutral));
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
