package dev.kenaz.typing;

/** The size of one dimension, which is an i64 that is not negative. */
public sealed interface Size {
  /** A size that nothing else refers to. */
  Any ANY = new Any();

  record Const(long value) implements Size {}

  /**
   * A size that has a name: a size parameter, an i64 variable in scope, or a name that {@link
   * TypedExp.BindSizes}, a {@code let} or a loop gave to what was known only at run time.
   */
  record Var(VName name) implements Size {}

  /** An i64 expression other than a name or a constant. It consumes nothing. */
  record Of(TypedExp exp) implements Size {}

  record Any() implements Size {}

  /** A size that is to be inferred; there is none in a finished tree. */
  final class Meta implements Size {
    final int id;
    int level;
    Size link;

    /**
     * A name that tells where the size comes from; if the size becomes a parameter, that gets the
     * name.
     */
    final String hint;

    /**
     * Whether the size was left out in the written type of a parameter, so that callers choose it.
     */
    boolean callers;

    Meta(int id, int level, String hint) {
      this.id = id;
      this.level = level;
      this.hint = hint;
    }
  }
}
