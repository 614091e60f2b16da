package dev.kenaz.interpret;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.Arguments;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.FunDef;
import dev.kenaz.ir.StackOverflow;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;

/** Runs core programs. */
public final class Interpreter {
  private Interpreter() {}

  /**
   * Calls an entry point.
   *
   * @param arguments the parameters' flat components, without the sizes, which are read off the
   *     arrays; they are not changed
   * @return the results' flat components, without the sizes
   * @throws UserError if the program fails (codes K50xx, at the failing statement's span) or the
   *     arguments don't fit the parameters
   */
  public static List<Value> call(
      CoreProgram program, String entry, List<? extends Value> arguments) {
    return call(program, entry, arguments, new Counter());
  }

  /** Calls an entry point as the other method does, and adds the work to the counter. */
  public static List<Value> call(
      CoreProgram program, String entry, List<? extends Value> arguments, Counter counter) {
    var e =
        program.entries().stream()
            .filter(x -> x.name().equals(entry))
            .findFirst()
            .orElseThrow(() -> new CompilerBug("interpret", "no entry point " + entry));
    var f = program.function(e.function());
    var all = Arguments.of(e, f.params(), arguments);
    var results = function(program, e.function(), all, counter);
    return results.subList(e.resultSizes(), results.size());
  }

  /**
   * Calls a function by its name, with all parameters and results as they stand in the program,
   * sizes included.
   */
  public static List<Value> function(
      CoreProgram program, String name, List<? extends Value> arguments, Counter counter) {
    var f = program.function(name);
    if (f.params().size() != arguments.size()) {
      throw new CompilerBug(
          "interpret",
          name + " takes " + f.params().size() + " arguments, not " + arguments.size());
    }
    var data = new Datum[arguments.size()];
    for (int i = 0; i < data.length; i++) {
      var wanted = f.params().get(i).type();
      var given = arguments.get(i);
      if (wanted.elemPrim() != given.prim() || wanted.dims().size() != given.rank()) {
        throw new CompilerBug("interpret", given.typeName() + " given for " + wanted);
      }
      data[i] =
          switch (given) {
            case ScalarValue s -> Datum.of(s);
            case ArrayValue a -> Arr.of(a);
          };
    }
    var results = new ArrayList<Value>();
    for (var r : run(program, counter, f, data)) {
      if (r instanceof Arr a) {
        counter.materialise(a);
      }
      results.add(Machine.value(r));
    }
    return results;
  }

  private static Datum[] run(CoreProgram program, Counter counter, FunDef f, Datum[] arguments) {
    try {
      return new Machine(program, counter).function(f, arguments);
    } catch (StackOverflowError _) {
      throw StackOverflow.in(f.name());
    }
  }

  /** Returns the message with the values in place of each {@code {}}. */
  static String fill(String message, List<Value> values) {
    var out = new StringBuilder();
    int at = 0;
    for (var v : values) {
      int hole = message.indexOf("{}", at);
      if (hole < 0) {
        break;
      }
      out.append(message, at, hole).append(plain(v));
      at = hole + 2;
    }
    return out.append(message.substring(at)).toString();
  }

  private static String plain(Value v) {
    return v instanceof ScalarValue s && s.prim().isInteger()
        ? (s.prim().isUnsigned() ? Long.toUnsignedString(s.bits()) : Long.toString(s.bits()))
        : v.toString();
  }
}
