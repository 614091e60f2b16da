package dev.kenaz.segir;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.Var;
import java.util.List;

/** A statement is {@code let pattern = exp}; see {@link dev.kenaz.ir.Stm}. */
public record SegStm(List<Var> pattern, SegExp exp, List<Attr> attrs, Span span) {
  public SegStm {
    pattern = List.copyOf(pattern);
    attrs = List.copyOf(attrs);
  }
}
