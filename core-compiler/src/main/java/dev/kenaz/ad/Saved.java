package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.List;

/** This is the value of a variable when it is executed again. */
sealed interface Saved {

  /** No derivative depends on the variable. */
  record Nothing() implements Saved {
    @Override
    public Stm stm(Stm stm, List<Atom> iterations) {
      var type = stm.var().type();
      return stm.with(new Scratch(type.elemPrim(), type.dims()));
    }
  }

  /** The array has its final contents, and is not updated any more. */
  record End() implements Saved {
    @Override
    public Stm stm(Stm stm, List<Atom> iterations) {
      return stm.exp() instanceof Update u ? stm.with(new Alias(u.array())) : stm;
    }
  }

  /**
   * This is a value, or an array of values.
   *
   * @param rows the value, or the array
   * @param depth how many loops around the variable index the rows
   */
  record Rows(Var rows, int depth) implements Saved {
    @Override
    public Saved at(Builder b, Atom iteration) {
      var row = b.bind("kept", new Index(rows, List.of(iteration), false));
      return new Rows(row, depth - 1);
    }

    @Override
    public Stm stm(Stm stm, List<Atom> iterations) {
      return stm.with(depth == 0 ? new Alias(rows) : new Index(rows, iterations, false));
    }
  }

  /**
   * This is one of many values that lie one after the other.
   *
   * @param values all of them
   * @param place where in these the value lies; a variable of the code
   */
  record Flat(Var values, Var place) implements Saved {
    @Override
    public Saved renamed(Renaming names) {
      return new Flat(values, (Var) names.atom(place));
    }

    @Override
    public Stm stm(Stm stm, List<Atom> iterations) {
      return stm.with(new Index(values, List.of(place), false));
    }
  }

  /** Returns the same for a renamed copy of the code. */
  default Saved renamed(Renaming names) {
    return this;
  }

  /** Returns the value in one iteration of the outermost of the loops. */
  default Saved at(Builder b, Atom iteration) {
    return this;
  }

  /** Returns the statement that gets the value. */
  Stm stm(Stm stm, List<Atom> iterations);
}
