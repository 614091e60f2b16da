package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6305;
import static java.util.Objects.requireNonNull;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint;
import java.util.Set;
import java.util.TreeSet;

/** Finds the parameters by which a derivative is taken, as users name them. */
final class Chosen {
  private Chosen() {}

  /**
   * Returns the positions of these parameters; none if no name is given.
   *
   * @throws UserError K6305 if there is no such parameter, or it is named twice
   */
  static Set<Integer> parameters(EntryPoint entry, String... names) {
    var by = new TreeSet<Integer>();
    for (var name : requireNonNull(names, "by")) {
      if (!by.add(position(entry, requireNonNull(name, "by")))) {
        throw fault(entry, "the parameter " + name + " is named twice", "name it once");
      }
    }
    return by;
  }

  private static int position(EntryPoint entry, String name) {
    var known = entry.params().stream().map(EntryPoint.Param::name).toList();
    int n = known.size();
    if (name.matches("\\d{1,9}") && Integer.parseInt(name) < n) {
      return Integer.parseInt(name);
    }
    int first = known.indexOf(name);
    if (first < 0 || name.equals("_")) {
      throw fault(
          entry,
          "there is no parameter " + name,
          NearestName.hintOrFew(name, known, "its parameters are"));
    }
    if (first != known.lastIndexOf(name)) {
      throw fault(
          entry, "several parameters have the name " + name, "name it by its position, from \"0\"");
    }
    return first;
  }

  private static UserError fault(EntryPoint entry, String message, String... hints) {
    return new UserError(K6305, Span.NONE, "derivative of " + entry.name() + ": " + message, hints);
  }
}
