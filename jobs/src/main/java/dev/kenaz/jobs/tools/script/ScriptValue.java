package dev.kenaz.jobs.tools.script;

import dev.kenaz.jobs.tools.Item;
import java.util.List;
import java.util.SequencedMap;

/** This is the value of an expression. */
public sealed interface ScriptValue {
  /** A value of the program. */
  record Known(Item item) implements ScriptValue {}

  /** Numbers without a suffix, in the text format. Where they are used decides their type. */
  record Untyped(String text) implements ScriptValue {}

  record Tuple(List<ScriptValue> elements) implements ScriptValue {
    public Tuple {
      elements = List.copyOf(elements);
    }
  }

  record Record(SequencedMap<String, ScriptValue> fields) implements ScriptValue {}
}
