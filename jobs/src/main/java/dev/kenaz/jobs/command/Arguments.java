package dev.kenaz.jobs.command;

import dev.kenaz.Entry;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.util.ArrayList;
import java.util.List;

/** What an entry point is called with, from a stream of values. */
record Arguments(Entry function) {
  /**
   * One value for each flat parameter, and nothing after the last.
   *
   * @throws UserError K6301 if there are more or fewer
   */
  List<Value> read(ValueReader in) {
    var types = function.type().params().stream().flatMap(p -> p.type().flat().stream()).toList();
    var values = new ArrayList<Value>();
    for (var type : types) {
      if (!in.hasNext()) {
        throw wrong(types.size(), "there are only " + values.size());
      }
      values.add(in.nextAs(type.prim()));
    }
    if (!types.isEmpty() && in.hasNext()) {
      throw wrong(types.size(), "there are more");
    }
    return values;
  }

  private UserError wrong(int wanted, String given) {
    return new UserError(
        "K6301", Span.NONE, function.name() + " takes " + wanted + " values, but " + given);
  }
}
