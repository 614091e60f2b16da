package dev.kenaz.jvm;

import dev.kenaz.elementary.Formula;
import dev.kenaz.elementary.Step;
import java.lang.classfile.CodeBuilder;

/**
 * Emits the steps of a formula. What is used more than once is in a local; the rest stays on the
 * stack. Whether the values are scalars or vectors is up to the subclass.
 */
abstract class FormulaCode {
  final CodeBuilder code;
  final Formula formula;
  private final int[] uses;
  private final int[] locals;

  /**
   * Prepares to emit the formula.
   *
   * @param arguments the locals with the arguments, which stay as they are
   */
  FormulaCode(CodeBuilder code, Formula formula, int... arguments) {
    this.code = code;
    this.formula = formula;
    this.uses = formula.uses();
    this.locals = new int[uses.length];
    for (int k = 0; k < locals.length; k++) {
      var s = formula.steps().get(k);
      locals[k] = s.kind() == Step.Kind.ARGUMENT ? arguments[(int) s.whole()] : -1;
    }
  }

  /** Computes what is used more than once of what these steps need, and isn't known yet. */
  final void prepare(int... of) {
    for (int k : formula.needed(of)) {
      if (uses[k] > 1 && locals[k] < 0 && !isLeaf(k)) {
        emit(k);
        locals[k] = store(k);
      }
    }
  }

  /** Leaves the step's result on the stack; what it needs is computed first. */
  final void whole(int step) {
    prepare(step);
    value(step);
  }

  /** Emits code that may not run: what it computes isn't known afterwards. */
  final void branch(Runnable emit) {
    var known = locals.clone();
    emit.run();
    System.arraycopy(known, 0, locals, 0, known.length);
  }

  private boolean isLeaf(int step) {
    return switch (formula.steps().get(step).kind()) {
      case ARGUMENT, REAL, WHOLE -> true;
      default -> false;
    };
  }

  /** Leaves the step's result on the stack. */
  final void value(int step) {
    if (locals[step] >= 0) {
      load(step, locals[step]);
    } else {
      emit(step);
    }
  }

  /** Leaves the result of the step's operand on the stack. */
  final void operand(Step step, int k) {
    value(step.operand(k));
  }

  /** Computes a step from its operands. */
  abstract void emit(int step);

  /** Moves the step's result from the stack to a new local. */
  abstract int store(int step);

  abstract void load(int step, int local);
}
