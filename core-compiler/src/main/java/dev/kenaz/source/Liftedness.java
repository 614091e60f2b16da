package dev.kenaz.source;

/** Says what a type may hide: nothing, arrays whose sizes differ, or functions too. */
public enum Liftedness {
  /** {@code type t} and {@code 't}: the type hides nothing. */
  UNLIFTED(""),
  /** {@code type~ t} and {@code '~t}: the type may contain arrays of unknown size. */
  SIZE_LIFTED("~"),
  /** {@code type^ t} and {@code '^t}: the type may contain functions. */
  LIFTED("^");

  private final String mark;

  Liftedness(String mark) {
    this.mark = mark;
  }

  /** Returns the mark after {@code type} or the apostrophe. */
  public String mark() {
    return mark;
  }
}
