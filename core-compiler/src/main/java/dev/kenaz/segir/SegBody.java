package dev.kenaz.segir;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.WithAcc;
import dev.kenaz.ir.Stm;
import java.util.List;
import java.util.stream.Stream;

/** Statements in order, and then the results: a {@link Body} with seg-ops. */
public record SegBody(List<SegStm> stms, List<Atom> results) {
  public SegBody {
    stms = List.copyOf(stms);
    results = List.copyOf(results);
  }

  /** Returns the statements and those inside them. */
  public Stream<SegStm> all() {
    return stms.stream()
        .flatMap(s -> Stream.concat(Stream.of(s), s.exp().bodies().flatMap(SegBody::all)));
  }

  /** Returns the body, in which nothing is parallel. */
  public static SegBody sequential(Body body) {
    return new SegBody(body.stms().stream().map(SegBody::sequential).toList(), body.results());
  }

  private static SegStm sequential(Stm stm) {
    return new SegStm(stm.pattern(), sequential(stm.exp()), stm.attrs(), stm.span());
  }

  private static SegExp sequential(Exp exp) {
    return switch (exp) {
      case If(var c, var then, var otherwise) ->
          new SegExp.Branch(c, sequential(then), sequential(otherwise));
      case Loop(var params, var form, var body) ->
          new SegExp.Iterate(params, form, sequential(body));
      case WithAcc(var inputs, var body) ->
          new SegExp.Accumulate(inputs, body.params(), sequential(body.body()));
      default -> new SegExp.Plain(exp);
    };
  }
}
