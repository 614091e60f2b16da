package dev.kenaz.loops;

import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.Owner;
import dev.kenaz.segir.SegProgram.Callee;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Translates calls of functions that call themselves: results come in buffers that the caller takes
 * over.
 */
final class Calls {
  private final Scope scope;
  private final Arrays arrays;
  private final Map<String, Callee> callees;

  Calls(Lowering lowering, Map<String, Callee> callees) {
    this.scope = lowering.scope;
    this.arrays = lowering.arrays;
    this.callees = callees;
  }

  /** Returns the name of the function for callers that may, or may not, start parallel work. */
  static String name(String function, boolean parallel) {
    return parallel ? function : function + "_seq";
  }

  void apply(List<Var> pattern, String function, List<Atom> arguments) {
    var callee = callees.get(function);
    if (callee == null) {
      throw new Limitation(
          scope.span(), "the recursive function `" + FunDef.title(function) + "`" + " on a GPU");
    }
    List<Expr> values =
        arguments.stream()
            .map(
                a ->
                    switch (scope.val(a)) {
                      case Val.Scalar(var e) -> e;
                      case ArrayVal array -> arrays.contiguous("argument", array).address();
                      case Val.Acc _ ->
                          throw new Limitation(scope.span(), "an accumulator in a recursion");
                    })
            .toList();
    var outputs = new ArrayList<Code.Output>();
    for (var v : pattern) {
      switch (v.type()) {
        case Type.Scalar(var prim) -> {
          var reg = Reg.fresh(v.name(), prim);
          outputs.add(new Code.ScalarOutput(reg));
          scope.bind(v, new Val.Scalar(Expr.use(reg)));
        }
        case Type.Array a -> {
          var slot = scope.slot(v.name());
          var address = Reg.index(v.name());
          var dims = new ArrayList<Reg>();
          a.shape().forEach(_ -> dims.add(Reg.index("n")));
          outputs.add(new Code.ArrayOutput(slot, address, dims));
          var sizes = dims.stream().<Expr>map(Expr::use).toList();
          var view =
              ArrayVal.contiguous(
                  a.elem(), Expr.use(address), sizes, scope.depth(), Owner.of(slot));
          scope.bind(v, view);
        }
        case Type.Acc _ -> throw new Limitation(scope.span(), "an accumulator in a recursion");
      }
    }
    scope.add(new Code.Call(name(function, scope.parallel()), values, outputs));
  }
}
