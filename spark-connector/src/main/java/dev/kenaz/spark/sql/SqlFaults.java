package dev.kenaz.spark.sql;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import java.util.List;

/** Says what was computed when a function failed. */
final class SqlFaults {
  private SqlFaults() {}

  /**
   * Returns the fault with what it was for. Names of entry points and parameters that Kenaz has
   * added are left out: the number of a parameter stays, and the model is called so.
   */
  static UserError in(UserError e, String what) {
    var d = e.diagnostics().getFirst();
    var message =
        d.message()
            .replaceAll(" of kenaz_[a-z_]+", "")
            .replace("parameter kenaz_model", "the model")
            .replaceAll("kenaz_[a-z](?=[0-9])", "");
    return new UserError(
        List.of(new Diagnostic(d.code(), d.span(), message + ", for " + what, d.hints())));
  }
}
