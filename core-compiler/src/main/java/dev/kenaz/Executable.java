package dev.kenaz;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.value.Value;
import java.util.List;

/** A core program that can be called: what a backend makes of it. */
interface Executable {
  /** From the flat components of the arguments to those of the results, sizes left out. */
  List<Value> call(EntryPoint entry, List<Value> arguments);

  static Executable of(CoreProgram program, Backend backend) {
    return switch (backend) {
      case INTERPRET -> (entry, arguments) -> Interpreter.call(program, entry.name(), arguments);
      case JVM -> (entry, arguments) -> Interpreter.call(program, entry.name(), arguments);
    };
  }
}
