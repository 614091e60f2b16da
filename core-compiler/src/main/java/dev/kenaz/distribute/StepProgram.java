package dev.kenaz.distribute;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.Type;
import java.util.List;

/** Makes a program of a plan's function, for a backend to compile. */
public final class StepProgram {
  private StepProgram() {}

  /** Returns a program whose only entry point has the function's name and parameters. */
  public static CoreProgram of(FunDef function) {
    var params =
        function.params().stream()
            .map(p -> new EntryPoint.Param(p.name(), false, external(p.type())))
            .toList();
    var results =
        function.returns().stream().map(t -> new EntryPoint.Result(false, external(t))).toList();
    var entry = new EntryPoint(function.name(), function.name(), 0, params, 0, results);
    return new CoreProgram(List.of(function), List.of(entry));
  }

  private static EntryPoint.ExternalType external(Type type) {
    return new EntryPoint.Transparent(type.elemPrim(), type.dims().size());
  }
}
