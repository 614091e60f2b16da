package dev.kenaz.ir;

import dev.kenaz.ir.Exp.*;
import java.util.Optional;

/** Results that are another name for the memory of an operand: the one list of such expressions. */
public final class Views {
  private Views() {}

  /** The operand in whose memory the only result lies, if it does; branches and loops aside. */
  public static Optional<Atom> operand(Exp exp) {
    return switch (exp) {
      case Alias(var x) -> Optional.of(x);
      case Trace(_, var x) -> Optional.of(x);
      case Index(var a, _, _) -> Optional.of(a);
      case Slice(var a, _, _) -> Optional.of(a);
      case Rearrange(_, var a) -> Optional.of(a);
      case Reshape(_, var a) -> Optional.of(a);
      case Simple _, Soac _, If _, Loop _, WithAcc _, Jvp _, Vjp _, WithVjp _ -> Optional.empty();
    };
  }
}
