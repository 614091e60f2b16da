package dev.kenaz.jobs.tools.script;

import java.util.List;

/** This is an expression of the script language. */
public sealed interface ScriptExp {
  /** A call of a function of the program, or a variable if there are no arguments. */
  record Call(String name, List<ScriptExp> arguments) implements ScriptExp {
    public Call {
      arguments = List.copyOf(arguments);
    }
  }

  /** A call of a function of the script language itself, which is written with a {@code $}. */
  record Builtin(String name, List<ScriptExp> arguments) implements ScriptExp {
    public Builtin {
      arguments = List.copyOf(arguments);
    }
  }

  record Tuple(List<ScriptExp> elements) implements ScriptExp {
    public Tuple {
      elements = List.copyOf(elements);
    }
  }

  record Array(List<ScriptExp> elements) implements ScriptExp {
    public Array {
      elements = List.copyOf(elements);
    }
  }

  record Field(String name, ScriptExp value) {}

  record Record(List<Field> fields) implements ScriptExp {
    public Record {
      fields = List.copyOf(fields);
    }
  }

  /** A {@code let}. If it has several names, they take a tuple apart. */
  record Let(List<String> names, ScriptExp value, ScriptExp body) implements ScriptExp {
    public Let {
      names = List.copyOf(names);
    }
  }

  /** A value in the text format. */
  record Constant(String text) implements ScriptExp {}

  /** What stands between quotes: the name of a file, or bytes. */
  record Text(String text) implements ScriptExp {}
}
