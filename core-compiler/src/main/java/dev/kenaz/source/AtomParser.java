package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0101;
import static dev.kenaz.error.ErrorCode.K0103;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parses atoms, which may be the function or an argument of an application without parentheses, and
 * indices.
 */
record AtomParser(Cursor c, ExpParser exps, TypeParser types, PatternParser patterns) {
  boolean startsAtom() {
    return switch (c.kind()) {
      case NAME,
          INT,
          FLOAT,
          CHAR,
          STRING,
          TRUE,
          FALSE,
          LPAREN,
          LBRACKET,
          LBRACE,
          HOLE,
          CONSTRUCTOR ->
          true;
      default -> false;
    };
  }

  /** Parses an atom with all projections and indices that follow it without a blank. */
  Exp atom() {
    int start = c.at();
    var exp = simpleAtom();
    int chain = 0;
    while (c.adjacent()) {
      if (c.at(TokenKind.DOT)) {
        c.next();
        exp = projection(start, exp);
      } else if (c.at(TokenKind.LBRACKET)) {
        exp = new Exp.Index(exp, slices(), c.spanFrom(start));
      } else {
        break;
      }
      exps.checkChain(++chain);
    }
    return exp;
  }

  private Exp projection(int start, Exp record) {
    if (c.at(TokenKind.LPAREN) && record instanceof Exp.Var(var module, _)) {
      int open = c.at();
      c.next();
      var body = exps.outsideSlice();
      c.close(TokenKind.RPAREN, open);
      return new Exp.LocalOpen(module, body, c.spanFrom(start));
    }
    var exp = record;
    if (!c.at(TokenKind.NAME)) {
      return new Exp.Project(exp, types.fieldName(), c.spanFrom(start));
    }
    for (var field : c.text().split("\\.")) {
      exp = new Exp.Project(exp, field, c.spanFrom(start).to(c.here()));
    }
    c.next();
    return exp;
  }

  private Exp simpleAtom() {
    int start = c.at();
    return switch (c.kind()) {
      case NAME -> new Exp.Var(variable(), c.spanFrom(start));
      case INT, FLOAT, CHAR, TRUE, FALSE -> new Exp.Constant(patterns.literal(), c.spanFrom(start));
      case STRING -> {
        var text = c.text();
        c.next();
        yield new Exp.Text(Escapes.decode(text, 1, text.length() - 1), c.spanFrom(start));
      }
      case LPAREN -> parenthesised();
      case LBRACKET -> {
        c.next();
        var elements = c.commaSeparated(TokenKind.RBRACKET, start, exps::outsideSlice);
        yield new Exp.Array(elements, c.spanFrom(start));
      }
      case LBRACE -> {
        c.next();
        var fields = c.commaSeparated(TokenKind.RBRACE, start, this::field);
        yield new Exp.Record(fields, c.spanFrom(start));
      }
      case HOLE -> {
        c.next();
        yield new Exp.Hole(c.spanFrom(start));
      }
      case CONSTRUCTOR -> {
        var name = c.text().substring(1);
        c.next();
        yield new Exp.Construct(name, List.of(), c.spanFrom(start));
      }
      default -> throw c.unexpected("an expression");
    };
  }

  private QualName variable() {
    if (c.tokens().is(c.at(), "_")) {
      throw c.fail(K0101, "expected an expression, found `_`", "write `???` for a hole");
    }
    return c.qualName("a name");
  }

  private Exp.Field field() {
    int start = c.at();
    boolean number = c.at(TokenKind.INT);
    var name = types.fieldName();
    if (number || c.at(TokenKind.EQUALS)) {
      c.expect(TokenKind.EQUALS, "and the value of the field");
      var value = exps.outsideSlice();
      return new Exp.Field(name, value, c.spanFrom(start));
    }
    var span = c.spanFrom(start);
    return new Exp.Field(name, new Exp.Var(QualName.of(name), span), span);
  }

  private Exp parenthesised() {
    int start = c.at();
    c.next();
    if (c.accept(TokenKind.RPAREN)) {
      return new Exp.Tuple(List.of(), c.spanFrom(start));
    }
    if (c.at(TokenKind.DOT)) {
      return accessSection(start);
    }
    if (exps.atOperator() && !atPrefixOperator()) {
      return operatorFirst(start);
    }
    var first = exps.outsideSlice();
    if (exps.atOperator()) {
      int at = c.at();
      var operator = exps.operator();
      var span = c.spanFrom(at);
      c.close(TokenKind.RPAREN, start);
      return new Exp.LeftSection(first, operator, span, c.spanFrom(start));
    }
    if (!c.accept(TokenKind.COMMA)) {
      c.close(TokenKind.RPAREN, start);
      return first;
    }
    var elements = new ArrayList<Exp>();
    elements.add(first);
    elements.addAll(c.commaSeparated(TokenKind.RPAREN, start, exps::outsideSlice));
    if (elements.size() == 1) {
      throw c.fail(K0103, "a tuple can't have just one element", "remove the comma");
    }
    return new Exp.Tuple(elements, c.spanFrom(start));
  }

  /** Whether a minus or exclamation mark here is a prefix operator; {@code (-)} is a section. */
  private boolean atPrefixOperator() {
    return c.atSymbol("!") || c.atSymbol("-") && c.kind(1) != TokenKind.RPAREN;
  }

  private Exp operatorFirst(int start) {
    int at = c.at();
    var operator = exps.operator();
    var span = c.spanFrom(at);
    if (c.accept(TokenKind.RPAREN)) {
      return new Exp.Var(operator, c.spanFrom(start));
    }
    var operand = exps.outsideSlice();
    c.close(TokenKind.RPAREN, start);
    return new Exp.RightSection(operator, span, operand, c.spanFrom(start));
  }

  /** Parses {@code .a.b)} or {@code .[i])}, after the opening parenthesis. */
  private Exp accessSection(int start) {
    var path = new ArrayList<Exp.Step>();
    steps(path);
    c.close(TokenKind.RPAREN, start);
    return new Exp.AccessSection(path, c.spanFrom(start));
  }

  /** Parses the path to what a {@code with} replaces: {@code a.b[i].0} or {@code [i].a}. */
  List<Exp.Step> updatePath() {
    var path = new ArrayList<Exp.Step>();
    if (c.at(TokenKind.LBRACKET)) {
      index(path);
    } else {
      field(path);
    }
    steps(path);
    return path;
  }

  /** Parses as many steps as there are, such as {@code .a.b[i].0}. */
  void steps(List<Exp.Step> path) {
    while (true) {
      if (c.at(TokenKind.LBRACKET) && c.adjacent()) {
        index(path);
      } else if (!c.accept(TokenKind.DOT)) {
        return;
      } else if (c.at(TokenKind.LBRACKET)) {
        index(path);
      } else {
        field(path);
      }
    }
  }

  private void index(List<Exp.Step> path) {
    int start = c.at();
    path.add(new Exp.Step.Index(slices(), c.spanFrom(start)));
  }

  /**
   * Parses a field. {@code a.b} is one token, and {@code 0.1} too, unless a dot stands before it.
   */
  private void field(List<Exp.Step> path) {
    int at = c.at();
    if (c.at(TokenKind.NAME) || c.at(TokenKind.FLOAT)) {
      fields(0, path);
      c.next();
    } else {
      path.add(new Exp.Step.Field(types.fieldName(), c.spanFrom(at)));
    }
  }

  /** Adds the parts of the current token that dots separate, from an offset in it. */
  void fields(int from, List<Exp.Step> path) {
    int start = from;
    for (var part : c.text().substring(from).split("\\.")) {
      int end = start + part.length();
      path.add(new Exp.Step.Field(part, c.tokens().spanWithin(c.at(), start, end)));
      start = end + 1;
    }
  }

  /** Parses {@code [index, start:end:stride, ...]}, which has at least one slice. */
  List<Exp.Slice> slices() {
    int open = c.at();
    c.next();
    if (c.at(TokenKind.RBRACKET)) {
      throw c.unexpected("an index");
    }
    return c.commaSeparated(TokenKind.RBRACKET, open, this::slice);
  }

  private Exp.Slice slice() {
    int start = c.at();
    var first = slicePart();
    if (!c.accept(TokenKind.COLON)) {
      if (first.isEmpty()) {
        throw c.unexpected("an index");
      }
      return new Exp.Slice.At(first.get(), c.spanFrom(start));
    }
    var end = slicePart();
    var stride = c.accept(TokenKind.COLON) ? slicePart() : Optional.<Exp>empty();
    return new Exp.Slice.Part(first, end, stride, c.spanFrom(start));
  }

  private Optional<Exp> slicePart() {
    return switch (c.kind()) {
      case COLON, COMMA, RBRACKET -> Optional.empty();
      default -> Optional.of(exps.insideSlice());
    };
  }
}
