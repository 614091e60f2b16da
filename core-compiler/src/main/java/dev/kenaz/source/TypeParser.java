package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0103;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses types, sizes and type parameters. */
record TypeParser(Cursor c, ExpParser exps) {
  /** Parses any type, as far as it goes. */
  TypeExp type() {
    return type(true);
  }

  /** Parses a type after which {@code ->} means something else, as in a lambda or a case. */
  TypeExp typeWithoutArrow() {
    return type(false);
  }

  private TypeExp type(boolean arrow) {
    c.enter();
    int start = c.at();
    TypeExp type;
    if (c.at(TokenKind.QUESTION)) {
      type = existential(arrow);
    } else if (c.at(TokenKind.LPAREN)
        && c.kind(1) == TokenKind.NAME
        && c.kind(2) == TokenKind.COLON) {
      type = namedFunction();
    } else {
      type = term();
      if (arrow && c.accept(TokenKind.ARROW)) {
        type = new TypeExp.Function(Optional.empty(), type, type(true), c.spanFrom(start));
      }
    }
    c.leave();
    return type;
  }

  private TypeExp existential(boolean arrow) {
    int start = c.at();
    c.next();
    var sizes = new ArrayList<String>();
    do {
      c.expect(TokenKind.LBRACKET, "and the name of a size after `?`");
      sizes.add(c.name("a name for the size"));
      c.expect(TokenKind.RBRACKET, "after the name of a size");
    } while (c.at(TokenKind.LBRACKET));
    c.expect(TokenKind.DOT, "after the sizes of `?`");
    var body = type(arrow);
    return new TypeExp.Existential(sizes, body, c.spanFrom(start));
  }

  /** Parses {@code (name: type) -> type}. */
  private TypeExp namedFunction() {
    int start = c.at();
    c.next();
    var name = c.name("a name");
    c.next();
    var param = type(true);
    c.close(TokenKind.RPAREN, start);
    c.expect(TokenKind.ARROW, "after a named parameter");
    var result = type(true);
    return new TypeExp.Function(Optional.of(name), param, result, c.spanFrom(start));
  }

  private TypeExp sum() {
    int start = c.at();
    var constructors = new ArrayList<TypeExp.Constructor>();
    do {
      int at = c.at();
      if (!c.at(TokenKind.CONSTRUCTOR)) {
        throw c.unexpected("a constructor after `|`");
      }
      var name = c.text().substring(1);
      c.next();
      var payload = new ArrayList<TypeExp>();
      while (startsAtom() || c.at(TokenKind.LBRACKET)) {
        payload.add(payload());
      }
      constructors.add(new TypeExp.Constructor(name, payload, c.spanFrom(at)));
    } while (acceptBar());
    return new TypeExp.Sum(constructors, c.spanFrom(start));
  }

  private boolean acceptBar() {
    if (c.atSymbol("|")) {
      c.next();
      return true;
    }
    return false;
  }

  private TypeExp payload() {
    if (!c.at(TokenKind.LBRACKET)) {
      return atom();
    }
    c.enter();
    int start = c.at();
    var size = size();
    var element = payload();
    c.leave();
    return new TypeExp.Array(size, element, c.spanFrom(start));
  }

  /** Parses what may stand before an arrow: a unique type, an array, a sum or an application. */
  private TypeExp term() {
    c.enter();
    int start = c.at();
    TypeExp type;
    if (c.atSymbol("*")) {
      c.next();
      type = new TypeExp.Unique(term(), c.spanFrom(start));
    } else if (c.at(TokenKind.LBRACKET)) {
      var size = size();
      type = new TypeExp.Array(size, term(), c.spanFrom(start));
    } else {
      // A sum reaches as far as it can: `*[]#a | #b` is an array of a sum.
      type = c.at(TokenKind.CONSTRUCTOR) ? sum() : application();
    }
    c.leave();
    return type;
  }

  private TypeExp application() {
    int start = c.at();
    var head = atom();
    var arguments = new ArrayList<TypeExp.Argument>();
    while (startsAtom() || c.at(TokenKind.LBRACKET)) {
      int at = c.at();
      if (c.at(TokenKind.LBRACKET)) {
        arguments.add(new TypeExp.Argument.Size(size(), c.spanFrom(at)));
      } else {
        arguments.add(new TypeExp.Argument.Type(atom(), c.spanFrom(at)));
      }
    }
    return arguments.isEmpty() ? head : new TypeExp.Apply(head, arguments, c.spanFrom(start));
  }

  private boolean startsAtom() {
    return switch (c.kind()) {
      case NAME, LPAREN, LBRACE -> true;
      default -> false;
    };
  }

  private TypeExp atom() {
    int start = c.at();
    return switch (c.kind()) {
      case NAME -> new TypeExp.Name(c.qualName("a type"), c.spanFrom(start));
      case LPAREN -> parenthesised();
      case LBRACE -> {
        c.next();
        var fields = c.commaSeparated(TokenKind.RBRACE, start, this::field);
        yield new TypeExp.Record(fields, c.spanFrom(start));
      }
      default -> throw c.unexpected("a type");
    };
  }

  private TypeExp parenthesised() {
    int start = c.at();
    c.next();
    if (c.accept(TokenKind.RPAREN)) {
      return new TypeExp.Tuple(List.of(), c.spanFrom(start));
    }
    var first = type();
    if (!c.accept(TokenKind.COMMA)) {
      c.close(TokenKind.RPAREN, start);
      return first;
    }
    var elements = new ArrayList<TypeExp>();
    elements.add(first);
    elements.addAll(c.commaSeparated(TokenKind.RPAREN, start, this::type));
    if (elements.size() == 1) {
      throw c.fail(K0103, "a tuple type can't have just one element");
    }
    return new TypeExp.Tuple(elements, c.spanFrom(start));
  }

  private TypeExp.Field field() {
    int start = c.at();
    var name = fieldName();
    c.expect(TokenKind.COLON, "and the type of the field");
    var type = type();
    return new TypeExp.Field(name, type, c.spanFrom(start));
  }

  /** Parses an identifier or a decimal number. */
  String fieldName() {
    if (c.at(TokenKind.INT)) {
      var text = c.text();
      if (!text.chars().allMatch(ch -> ch >= '0' && ch <= '9')) {
        throw c.unexpected("a field");
      }
      c.next();
      return text;
    }
    return c.name("a name or number of a field");
  }

  /** Parses {@code []} or {@code [expression]}. */
  private SizeExp size() {
    int start = c.at();
    c.next();
    if (c.accept(TokenKind.RBRACKET)) {
      return new SizeExp.Any(c.spanFrom(start));
    }
    var exp = exps.outsideSlice();
    c.close(TokenKind.RBRACKET, start);
    return new SizeExp.Of(exp, c.spanFrom(start));
  }

  /**
   * Parses as many parameters {@code [n]}, {@code 't}, {@code '~t} and {@code '^t} as there are.
   */
  List<TypeParam> typeParams() {
    var params = new ArrayList<TypeParam>();
    while (true) {
      int start = c.at();
      if (c.at(TokenKind.LBRACKET)) {
        c.next();
        var name = c.name("a name for the size");
        c.close(TokenKind.RBRACKET, start);
        params.add(new TypeParam.Size(name, c.spanFrom(start)));
      } else if (c.at(TokenKind.TICK)) {
        var liftedness = liftedness(c.text().substring(1));
        c.next();
        var name = c.name("a name for the type parameter");
        params.add(new TypeParam.Type(liftedness, name, c.spanFrom(start)));
      } else {
        return params;
      }
    }
  }

  static Liftedness liftedness(String mark) {
    return switch (mark) {
      case "~" -> Liftedness.SIZE_LIFTED;
      case "^" -> Liftedness.LIFTED;
      default -> Liftedness.UNLIFTED;
    };
  }
}
