package dev.kenaz.source;

import java.util.List;

/**
 * This is a name with the modules through which it is reached, as it is written: {@code M.N.x} is
 * {@code [M, N]} and {@code x}. The last part may be an operator symbol, as in {@code M.+}.
 *
 * <p>In an expression the parser can't tell a module from a record: {@code a.b.c} may be the field
 * {@code c} of the field {@code b} of the value {@code a}. The type checker decides, because it
 * knows what {@code a} is in scope.
 */
public record QualName(List<String> quals, String base) {
  public QualName {
    quals = List.copyOf(quals);
  }

  /** Returns a name without qualifiers. */
  public static QualName of(String base) {
    return new QualName(List.of(), base);
  }

  /** Whether the last part is an operator symbol rather than an identifier. */
  public boolean isSymbol() {
    return InfixOperators.isSymbol(base);
  }

  /** Returns the name as in the source text, without backticks or parentheses. */
  @Override
  public String toString() {
    return quals.isEmpty() ? base : String.join(".", quals) + "." + base;
  }
}
