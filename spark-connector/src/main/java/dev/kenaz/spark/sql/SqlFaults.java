package dev.kenaz.spark.sql;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import java.util.List;
import java.util.regex.Pattern;

/** Says what was computed when a function failed. */
final class SqlFaults {
  /** The letter in the names of variables with the values of all rows. */
  static final String ROWS_OF = "a";

  private static final Pattern DIMENSION =
      Pattern.compile("(kenaz_" + ROWS_OF + "[0-9]\\S* has [0-9]+ elements in dimension )([0-9]+)");

  private SqlFaults() {}

  /**
   * Returns the fault with what it was for. Names of entry points and parameters that Kenaz has
   * added are left out: the name of a parameter stays, or its number if it has none, and the model
   * is called so. The dimensions are those of a row.
   */
  static UserError in(UserError e, String what) {
    var d = e.diagnostics().getFirst();
    var said = d.message().replaceAll(" of kenaz_[a-z_]+", "");
    var message =
        DIMENSION
            .matcher(said)
            .replaceAll(m -> m.group(1) + (Integer.parseInt(m.group(2)) - 1))
            .replace("parameter kenaz_model", "the model")
            .replaceAll("kenaz_[a-z][0-9]+_", "")
            .replaceAll("kenaz_[a-z](?=[0-9])", "");
    return new UserError(
        List.of(new Diagnostic(d.code(), d.span(), message + ", for " + what, d.hints())));
  }
}
