package dev.kenaz.segir;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.AccInput;
import dev.kenaz.ir.Exp.LoopForm;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Var;
import java.util.List;
import java.util.stream.Stream;

/** This is an expression to which a statement binds variables. */
public sealed interface SegExp {
  /**
   * A core expression other than a branch, loop or accumulation; a parallel one runs sequentially.
   */
  record Plain(Exp exp) implements SegExp {}

  /** {@link Exp.If}. */
  record Branch(Atom condition, SegBody then, SegBody otherwise) implements SegExp {}

  /** {@link Exp.Loop}. */
  record Iterate(List<LoopParam> params, LoopForm form, SegBody body) implements SegExp {
    public Iterate {
      params = List.copyOf(params);
    }
  }

  /** {@link Exp.WithAcc}. */
  record Accumulate(List<AccInput> inputs, List<Var> accs, SegBody body) implements SegExp {
    public Accumulate {
      inputs = List.copyOf(inputs);
      accs = List.copyOf(accs);
    }
  }

  /** Runs the operator in parallel. */
  record Par(SegOp op) implements SegExp {}

  /**
   * Two versions of one computation. Which is better depends on sizes: the first wherever the
   * product of {@code extents} is large enough to keep the device busy.
   */
  record Versions(List<Atom> extents, SegBody wide, SegBody narrow) implements SegExp {
    public Versions {
      extents = List.copyOf(extents);
    }
  }

  /** Returns the bodies inside. */
  default Stream<SegBody> bodies() {
    return switch (this) {
      case Plain _ -> Stream.of();
      case Branch(_, var then, var otherwise) -> Stream.of(then, otherwise);
      case Iterate l -> Stream.of(l.body());
      case Accumulate a -> Stream.of(a.body());
      case Par(var op) -> Stream.of(op.body());
      case Versions(_, var wide, var narrow) -> Stream.of(wide, narrow);
    };
  }
}
