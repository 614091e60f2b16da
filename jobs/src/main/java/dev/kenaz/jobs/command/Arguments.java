package dev.kenaz.jobs.command;

import dev.kenaz.Entry;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.tools.Records;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What an entry point is called with, from a stream of values. */
record Arguments(Entry function) {
  /**
   * One value for each flat parameter but {@code ()}, and nothing after the last.
   *
   * @throws UserError K6301 if there are more or fewer
   */
  List<Value> read(ValueReader in) {
    var types =
        function.type().params().stream().flatMap(p -> p.type().written().stream()).toList();
    int wanted = (int) types.stream().filter(Optional::isPresent).count();
    var values = new ArrayList<Value>();
    int read = 0;
    for (var type : types) {
      if (type.isEmpty()) {
        values.addAll(Records.NOTHING);
      } else if (in.hasNext()) {
        values.add(in.nextAs(type.get().prim()));
        read++;
      } else {
        throw wrong(wanted, "there are only " + read);
      }
    }
    if (wanted > 0 && in.hasNext()) {
      throw wrong(wanted, "there are more");
    }
    return values;
  }

  private UserError wrong(int wanted, String given) {
    return new UserError(
        "K6301", Span.NONE, function.name() + " takes " + wanted + " values, but " + given);
  }
}
