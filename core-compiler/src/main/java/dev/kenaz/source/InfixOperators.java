package dev.kenaz.source;

/**
 * Knows the precedence and associativity of infix operators, which follow from their first
 * characters.
 */
public final class InfixOperators {
  /** The characters that a symbol may begin with. A later character may also be a dot. */
  static final String SYMBOL_START = "+-*/%=!><|&^";

  /** The level of a name in backticks, which is looser than every symbol. */
  public static final int BACKTICK = 1;

  private static final int PIPE_RIGHT = 2;
  private static final int PIPE_LEFT = 3;
  private static final int OR = 4;
  private static final int AND = 5;
  private static final int COMPARE = 6;
  private static final int BITS = 7;
  private static final int SHIFT = 8;
  private static final int ADD = 9;
  private static final int MULTIPLY = 10;
  private static final int POWER = 11;

  private InfixOperators() {}

  /** Whether a name is an operator symbol. */
  public static boolean isSymbol(String name) {
    return !name.isEmpty() && SYMBOL_START.indexOf(name.charAt(0)) >= 0;
  }

  /**
   * Returns how tightly an infix operator binds, from {@link #BACKTICK} up. A name is an operator
   * in backticks.
   */
  public static int precedence(String operator) {
    if (!isSymbol(operator)) {
      return BACKTICK;
    }
    var two = operator.length() > 1 ? operator.substring(0, 2) : operator;
    return switch (two) {
      case "|>" -> PIPE_RIGHT;
      case "<|" -> PIPE_LEFT;
      case "||" -> OR;
      case "&&" -> AND;
      case "<<", ">>" -> SHIFT;
      case "**" -> POWER;
      default ->
          switch (operator.charAt(0)) {
            case '<', '>', '=', '!' -> COMPARE;
            case '&', '^', '|' -> BITS;
            case '+', '-' -> ADD;
            default -> MULTIPLY;
          };
    };
  }

  /** Whether {@code a op b op c} is {@code a op (b op c)}. */
  public static boolean associatesRight(String operator) {
    return precedence(operator) == PIPE_LEFT;
  }
}
