package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0101;
import static dev.kenaz.error.ErrorCode.K0107;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parses expressions. From the loosest to the tightest, its levels are ascription and {@code with},
 * ranges, infix operators by precedence, prefix operators, and application. {@link AtomParser}
 * parses atoms, and {@link BindingParser} parses what begins with a reserved word.
 */
final class ExpParser {
  /** A chain of operators or of {@code let}s longer than this makes too deep a tree. */
  static final int LONGEST_CHAIN = 10_000;

  private final Cursor c;
  private final AtomParser atoms;
  private final BindingParser bindings;
  private final TypeParser types;
  private final PatternParser patterns;

  /** Whether the parser is in the brackets of an index, where a colon is not an ascription. */
  private boolean inSlice;

  ExpParser(Cursor cursor) {
    c = cursor;
    types = new TypeParser(cursor, this);
    patterns = new PatternParser(cursor, types);
    atoms = new AtomParser(cursor, this, types, patterns);
    bindings = new BindingParser(cursor, this, atoms, types, patterns);
  }

  TypeParser types() {
    return types;
  }

  PatternParser patterns() {
    return patterns;
  }

  /**
   * Parses an expression in brackets or parentheses of its own, where a colon is an ascription
   * again.
   */
  Exp outsideSlice() {
    return expression(false);
  }

  /** Parses an expression that a colon ends. */
  Exp insideSlice() {
    return expression(true);
  }

  private Exp expression(boolean slice) {
    boolean before = inSlice;
    inSlice = slice;
    var exp = expression();
    inSlice = before;
    return exp;
  }

  /** Goes back to the state between declarations, after a fault. */
  void reset() {
    inSlice = false;
  }

  /** Parses any expression, as far to the right as it goes. */
  Exp expression() {
    int start = c.at();
    var exp = range();
    int chain = 0;
    while (true) {
      if (c.at(TokenKind.WITH)) {
        exp = update(start, exp);
      } else if (c.at(TokenKind.COLON) && !inSlice) {
        c.next();
        exp = new Exp.Ascribe(exp, types.type(), c.spanFrom(start));
      } else if (c.accept(TokenKind.COERCE)) {
        exp = new Exp.Coerce(exp, types.type(), c.spanFrom(start));
      } else {
        return exp;
      }
      checkChain(++chain);
    }
  }

  void checkChain(int length) {
    if (length > LONGEST_CHAIN) {
      throw c.tooDeep();
    }
  }

  private Exp update(int start, Exp target) {
    c.next();
    var path = atoms.updatePath();
    c.expect(TokenKind.EQUALS, "and the new value");
    var value = range();
    return new Exp.Update(target, path, value, c.spanFrom(start));
  }

  private Exp range() {
    int start = c.at();
    var first = infix(InfixOperators.BACKTICK);
    Optional<Exp> second = Optional.empty();
    if (c.accept(TokenKind.DOT_DOT)) {
      second = Optional.of(infix(InfixOperators.BACKTICK));
    }
    Exp.RangeKind kind;
    switch (c.kind()) {
      case ELLIPSIS -> kind = Exp.RangeKind.INCLUSIVE;
      case DOT_DOT_LESS -> kind = Exp.RangeKind.BELOW;
      case DOT_DOT_GREATER -> kind = Exp.RangeKind.ABOVE;
      default -> {
        if (second.isPresent()) {
          throw c.fail(
              K0107,
              "this range lacks its end",
              "a range is `a...b`, `a..<b` or `a..>b`, with the second element after a `..`:"
                  + " `a..b...c`");
        }
        return first;
      }
    }
    c.next();
    var end = infix(InfixOperators.BACKTICK);
    return new Exp.Range(first, second, kind, end, c.spanFrom(start));
  }

  /** Parses operands that are joined by operators of at least the given precedence. */
  private Exp infix(int loosest) {
    c.enter();
    int start = c.at();
    var left = prefix();
    int chain = 0;
    while (atInfix()) {
      int at = c.at();
      var operator = operatorName();
      int precedence = InfixOperators.precedence(operator.base());
      if (precedence < loosest) {
        break;
      }
      skipOperator();
      var span = c.spanFrom(at);
      boolean right = InfixOperators.associatesRight(operator.base());
      var operand = infix(right ? precedence : precedence + 1);
      left = new Exp.Binary(left, operator, span, operand, c.spanFrom(start));
      checkChain(++chain);
    }
    c.leave();
    return left;
  }

  /** Whether an operator with an operand after it comes next; {@code op )} ends a section. */
  private boolean atInfix() {
    return switch (c.kind()) {
      case SYMBOL -> !c.atSymbol("!") && c.kind(1) != TokenKind.RPAREN;
      case BACKTICK -> c.kind(3) != TokenKind.RPAREN;
      default -> false;
    };
  }

  boolean atOperator() {
    return c.at(TokenKind.SYMBOL) || c.at(TokenKind.BACKTICK);
  }

  /** Returns the operator that comes next, and doesn't consume it. */
  private QualName operatorName() {
    if (c.at(TokenKind.SYMBOL)) {
      return Cursor.split(c.text());
    }
    if (c.kind(1) != TokenKind.NAME || c.kind(2) != TokenKind.BACKTICK) {
      throw c.fail(K0101, "expected a function's name between backticks", "as in x `f` y");
    }
    return Cursor.split(c.tokens().text(c.at() + 1));
  }

  private void skipOperator() {
    int length = c.at(TokenKind.BACKTICK) ? 3 : 1;
    for (int i = 0; i < length; i++) {
      c.next();
    }
  }

  /** Consumes an operator, which is a symbol or a name in backticks. */
  QualName operator() {
    var name = operatorName();
    skipOperator();
    return name;
  }

  private Exp prefix() {
    c.enter();
    int start = c.at();
    Exp exp =
        switch (c.kind()) {
          case SYMBOL -> unary();
          case LET, IF, LOOP, MATCH, BACKSLASH, ASSERT -> bindings.expression();
          case ATTRIBUTE -> {
            var attribute = patterns.attribute();
            yield new Exp.Attributed(attribute, expression(), c.spanFrom(start));
          }
          case CONSTRUCTOR -> {
            var name = c.text().substring(1);
            c.next();
            yield new Exp.Construct(name, arguments(), c.spanFrom(start));
          }
          default -> application();
        };
    c.leave();
    return exp;
  }

  private Exp unary() {
    int start = c.at();
    boolean negate = c.atSymbol("-");
    if (!negate && !c.atSymbol("!")) {
      throw c.unexpected("an expression");
    }
    c.next();
    var operand = prefix();
    var span = c.spanFrom(start);
    return negate ? new Exp.Negate(operand, span) : new Exp.Not(operand, span);
  }

  private Exp application() {
    int start = c.at();
    var function = atoms.atom();
    var arguments = arguments();
    return arguments.isEmpty() ? function : new Exp.Apply(function, arguments, c.spanFrom(start));
  }

  private List<Exp> arguments() {
    var arguments = new ArrayList<Exp>();
    while (atoms.startsAtom()) {
      arguments.add(atoms.atom());
    }
    if (c.at(TokenKind.BACKSLASH)) {
      arguments.add(bindings.expression());
    }
    return arguments;
  }
}
