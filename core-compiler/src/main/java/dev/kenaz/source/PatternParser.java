package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0103;

import java.util.ArrayList;
import java.util.List;

/** Parses patterns and attributes. */
record PatternParser(Cursor c, TypeParser types) {
  /** Parses any pattern, with its ascription if it has one. */
  Pattern pattern() {
    return pattern(true);
  }

  /** Parses the pattern of a case, which {@code ->} follows. */
  Pattern casePattern() {
    return pattern(false);
  }

  private Pattern pattern(boolean arrow) {
    c.enter();
    int start = c.at();
    Pattern pattern;
    if (c.at(TokenKind.ATTRIBUTE)) {
      var attribute = attribute();
      pattern = new Pattern.Attributed(attribute, pattern(arrow), c.spanFrom(start));
    } else {
      pattern = c.at(TokenKind.CONSTRUCTOR) ? construct() : atom();
      while (c.accept(TokenKind.COLON)) {
        var type = arrow ? types.type() : types.typeWithoutArrow();
        pattern = new Pattern.Ascribe(pattern, type, c.spanFrom(start));
      }
    }
    c.leave();
    return pattern;
  }

  private Pattern construct() {
    int start = c.at();
    var name = c.text().substring(1);
    c.next();
    return new Pattern.Construct(name, atoms(), c.spanFrom(start));
  }

  /**
   * Parses as many atoms as there are: the parameters of a function, or the payload of a
   * constructor.
   */
  List<Pattern> atoms() {
    var patterns = new ArrayList<Pattern>();
    while (startsAtom(0)) {
      patterns.add(atom());
    }
    return patterns;
  }

  /** Whether the token so far on begins a pattern that needs no parentheses. */
  boolean startsAtom(int ahead) {
    return switch (c.kind(ahead)) {
      case NAME, LPAREN, LBRACE, CONSTRUCTOR, INT, FLOAT, CHAR, TRUE, FALSE -> true;
      case SYMBOL ->
          c.tokens().is(c.at() + ahead, "-")
              && (c.kind(ahead + 1) == TokenKind.INT || c.kind(ahead + 1) == TokenKind.FLOAT);
      default -> false;
    };
  }

  Pattern atom() {
    int start = c.at();
    return switch (c.kind()) {
      case NAME -> {
        var name = c.name("a name");
        yield name.equals("_")
            ? new Pattern.Wildcard(c.spanFrom(start))
            : new Pattern.Name(name, c.spanFrom(start));
      }
      case LPAREN -> parenthesised();
      case LBRACE -> {
        c.next();
        var fields = c.commaSeparated(TokenKind.RBRACE, start, this::field);
        yield new Pattern.Record(fields, c.spanFrom(start));
      }
      case CONSTRUCTOR -> {
        var name = c.text().substring(1);
        c.next();
        yield new Pattern.Construct(name, List.of(), c.spanFrom(start));
      }
      default -> constant();
    };
  }

  private Pattern constant() {
    int start = c.at();
    if (!startsAtom(0)) {
      throw c.unexpected("a pattern");
    }
    boolean negative = c.at(TokenKind.SYMBOL);
    if (negative) {
      c.next();
    }
    return new Pattern.Constant(negative, literal(), c.spanFrom(start));
  }

  /** Consumes the current token, which is a literal. */
  Literal literal() {
    var text = c.text();
    var literal =
        switch (c.kind()) {
          case INT -> Literals.integer(text);
          case FLOAT -> Literals.floating(text);
          case CHAR -> new Literal.Char(Escapes.decode(text, 1, text.length() - 1).codePointAt(0));
          case TRUE -> new Literal.Bool(true);
          case FALSE -> new Literal.Bool(false);
          default -> throw c.unexpected("a literal");
        };
    c.next();
    return literal;
  }

  private Pattern parenthesised() {
    int start = c.at();
    c.next();
    if (c.accept(TokenKind.RPAREN)) {
      return new Pattern.Tuple(List.of(), c.spanFrom(start));
    }
    if (c.at(TokenKind.SYMBOL)
        && c.kind(1) == TokenKind.RPAREN
        && InfixOperators.isSymbol(c.text())) {
      var operator = c.text();
      c.next();
      c.next();
      return new Pattern.Name(operator, c.spanFrom(start));
    }
    var first = pattern();
    if (!c.accept(TokenKind.COMMA)) {
      c.close(TokenKind.RPAREN, start);
      return first;
    }
    var elements = new ArrayList<Pattern>();
    elements.add(first);
    elements.addAll(c.commaSeparated(TokenKind.RPAREN, start, this::pattern));
    if (elements.size() == 1) {
      throw c.fail(K0103, "a tuple pattern can't have just one element");
    }
    return new Pattern.Tuple(elements, c.spanFrom(start));
  }

  /** Parses {@code name}, {@code name = pattern} or {@code name: type}. */
  private Pattern.Field field() {
    int start = c.at();
    boolean number = c.at(TokenKind.INT);
    var name = types.fieldName();
    var nameSpan = c.spanFrom(start);
    Pattern pattern;
    if (number || c.at(TokenKind.EQUALS)) {
      c.expect(TokenKind.EQUALS, "after the number of a field");
      pattern = pattern();
    } else {
      pattern = new Pattern.Name(name, nameSpan);
      if (c.accept(TokenKind.COLON)) {
        pattern = new Pattern.Ascribe(pattern, types.type(), c.spanFrom(start));
      }
    }
    return new Pattern.Field(name, pattern, c.spanFrom(start));
  }

  /** Parses {@code #[attribute]}. */
  Attribute attribute() {
    int start = c.at();
    c.next();
    var attribute = attributeBody();
    c.close(TokenKind.RBRACKET, start);
    return attribute;
  }

  private Attribute attributeBody() {
    c.enter();
    int start = c.at();
    var name = c.text();
    if (c.accept(TokenKind.DOLLAR)) {
      name = "$" + c.text();
      c.qualName("a name of a variable");
    } else if (c.at(TokenKind.INT)) {
      types.fieldName();
    } else if (c.kind().isKeyword()) {
      c.next();
    } else {
      c.name("a name of an attribute");
    }
    List<Attribute> arguments = List.of();
    int open = c.at();
    if (c.accept(TokenKind.LPAREN)) {
      arguments = c.commaSeparated(TokenKind.RPAREN, open, this::attributeBody);
    }
    c.leave();
    return new Attribute(name, arguments, c.spanFrom(start));
  }
}
