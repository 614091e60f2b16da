package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0104;
import static dev.kenaz.error.ErrorCode.K0110;

import dev.kenaz.error.Span;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses expressions that begin with a reserved word or a backslash. */
record BindingParser(
    Cursor c, ExpParser exps, AtomParser atoms, TypeParser types, PatternParser patterns) {
  /** How many tokens the brackets of {@code let a[...] =} may hold. */
  private static final int LONGEST_INDEX = 5000;

  Exp expression() {
    return switch (c.kind()) {
      case LET -> lets();
      case IF -> conditional();
      case LOOP -> loop();
      case MATCH -> match();
      case BACKSLASH -> lambda();
      case ASSERT -> assertion();
      default -> throw c.unexpected("an expression");
    };
  }

  /** A {@code let} whose body is not parsed yet. */
  private interface Head {
    Exp with(Exp body);
  }

  /**
   * Parses any number of {@code let}s in a row, without recursion: programs have long chains of
   * them.
   */
  private Exp lets() {
    var heads = new ArrayDeque<Head>();
    do {
      heads.push(letHead());
      exps.checkChain(heads.size());
      if (!c.accept(TokenKind.IN) && !c.at(TokenKind.LET)) {
        throw c.fail(
            K0104,
            "expected `in` and the body of this `let`",
            "a top-level definition begins with `def`; a `let` inside one ends with `in result`");
      }
    } while (c.at(TokenKind.LET));
    var body = exps.expression();
    for (var head : heads) {
      body = head.with(body);
    }
    return body;
  }

  private Head letHead() {
    int start = c.at();
    c.next();
    if (c.at(TokenKind.LPAREN) && c.kind(1) == TokenKind.SYMBOL && c.kind(2) == TokenKind.RPAREN) {
      c.next();
      int at = c.at();
      var name = c.text();
      c.next();
      c.next();
      var span = c.tokens().span(at, at);
      if (c.accept(TokenKind.EQUALS)) {
        return binding(start, List.of(), new Pattern.Name(name, span));
      }
      return function(start, name, span);
    }
    if (c.at(TokenKind.NAME) && isUpdate()) {
      return update(start);
    }
    if (c.simpleName(0) && isFunction()) {
      int at = c.at();
      return function(start, c.name("a name"), c.spanFrom(at));
    }
    var sizes = sizes();
    var pattern = patterns.pattern();
    c.expect(TokenKind.EQUALS, "after the pattern of a `let`");
    return binding(start, sizes, pattern);
  }

  private Head binding(int start, List<Exp.SizeBinder> sizes, Pattern pattern) {
    var value = exps.outsideSlice();
    var head = c.spanFrom(start);
    return body -> new Exp.Let(sizes, pattern, value, body, head.to(body.span()));
  }

  /** Whether what follows the name is a path into its value, and then an equals sign. */
  private boolean isUpdate() {
    boolean path = !c.simpleName(0);
    int ahead = 1;
    while (true) {
      if (c.kind(ahead) == TokenKind.LBRACKET) {
        ahead = pastBrackets(ahead);
      } else if (c.kind(ahead) == TokenKind.DOT) {
        ahead += 2;
      } else {
        return (path || ahead > 1) && c.kind(ahead) == TokenKind.EQUALS;
      }
    }
  }

  /**
   * Returns the place after the matching bracket, or one some tokens further on if there is none
   * near.
   */
  private int pastBrackets(int open) {
    int depth = 0;
    int ahead = open;
    do {
      switch (c.kind(ahead)) {
        case LBRACKET -> depth++;
        case RBRACKET -> depth--;
        case END -> depth = 0;
        default -> {}
      }
      ahead++;
    } while (depth > 0 && ahead < open + LONGEST_INDEX);
    return ahead;
  }

  private boolean isFunction() {
    return switch (c.kind(1)) {
      case LBRACKET, TICK -> true;
      default -> patterns.startsAtom(1);
    };
  }

  /** Parses an update: {@code let a[i].f = value} is {@code let a = a with [i].f = value}. */
  private Head update(int start) {
    int at = c.at();
    var text = c.text();
    int dot = text.indexOf('.');
    var name = dot < 0 ? text : text.substring(0, dot);
    var span = c.tokens().spanWithin(at, 0, name.length());
    var path = new ArrayList<Exp.Step>();
    if (dot >= 0) {
      atoms.fields(dot + 1, path);
    }
    c.next();
    atoms.steps(path);
    c.expect(TokenKind.EQUALS, "after what a `let` updates");
    var value = exps.outsideSlice();
    var target = new Exp.Var(QualName.of(name), span);
    var update = new Exp.Update(target, path, value, c.spanFrom(at));
    var pattern = new Pattern.Name(name, span);
    var head = c.spanFrom(start);
    return body -> new Exp.Let(List.of(), pattern, update, body, head.to(body.span()));
  }

  private Head function(int start, String name, Span nameSpan) {
    var typeParams = types.typeParams();
    var params = patterns.atoms();
    if (params.isEmpty()) {
      throw c.unexpected("a parameter of the local function");
    }
    Optional<TypeExp> returnType =
        c.accept(TokenKind.COLON) ? Optional.of(types.type()) : Optional.empty();
    c.expect(TokenKind.EQUALS, "and the body of the local function");
    var value = exps.outsideSlice();
    var head = c.spanFrom(start);
    return body ->
        new Exp.LetFunction(
            name, nameSpan, typeParams, params, returnType, value, body, head.to(body.span()));
  }

  private List<Exp.SizeBinder> sizes() {
    var sizes = new ArrayList<Exp.SizeBinder>();
    while (c.at(TokenKind.LBRACKET)) {
      int start = c.at();
      c.next();
      var name = c.name("a name for the size");
      c.close(TokenKind.RBRACKET, start);
      sizes.add(new Exp.SizeBinder(name, c.spanFrom(start)));
    }
    return sizes;
  }

  private record Branch(Span start, Exp condition, Exp then) {}

  /** Parses a conditional, with any number of {@code else if} in a row, without recursion. */
  private Exp conditional() {
    var branches = new ArrayDeque<Branch>();
    do {
      var start = c.here();
      c.next();
      var condition = exps.outsideSlice();
      c.expect(TokenKind.THEN, "after the condition of an `if`");
      var then = exps.outsideSlice();
      c.expect(TokenKind.ELSE, "and the other branch of this `if`");
      branches.push(new Branch(start, condition, then));
      exps.checkChain(branches.size());
    } while (c.at(TokenKind.IF));
    var exp = exps.expression();
    for (var branch : branches) {
      var span = branch.start().to(exp.span());
      exp = new Exp.If(branch.condition(), branch.then(), exp, span);
    }
    return exp;
  }

  private Exp loop() {
    int start = c.at();
    c.next();
    var sizes = sizes();
    var pattern = patterns.pattern();
    var initial = c.accept(TokenKind.EQUALS) ? exps.outsideSlice() : initialOf(pattern);
    var form = loopForm();
    c.expect(TokenKind.DO, "and the body of the loop");
    var body = exps.expression();
    return new Exp.Loop(sizes, pattern, initial, form, body, c.spanFrom(start));
  }

  private Exp.LoopForm loopForm() {
    int start = c.at();
    if (c.accept(TokenKind.WHILE)) {
      var condition = exps.outsideSlice();
      return new Exp.LoopForm.While(condition, c.spanFrom(start));
    }
    if (!c.accept(TokenKind.FOR)) {
      throw c.unexpected("`for` or `while`");
    }
    if (c.simpleName(0) && c.kind(1) == TokenKind.SYMBOL && c.tokens().is(c.at() + 1, "<")) {
      var name = c.name("a name");
      c.next();
      var bound = exps.outsideSlice();
      return new Exp.LoopForm.For(name, bound, c.spanFrom(start));
    }
    var pattern = patterns.pattern();
    c.expect(TokenKind.IN, "and an array, or `<` and a bound");
    var array = exps.outsideSlice();
    return new Exp.LoopForm.ForIn(pattern, array, c.spanFrom(start));
  }

  /** Returns the initial value of a loop for which none is written: the names of its pattern. */
  private Exp initialOf(Pattern pattern) {
    return switch (pattern) {
      case Pattern.Name(var name, var span) -> new Exp.Var(QualName.of(name), span);
      case Pattern.Tuple(var elements, var span) ->
          new Exp.Tuple(elements.stream().map(this::initialOf).toList(), span);
      case Pattern.Record(var fields, var span) ->
          new Exp.Record(
              fields.stream()
                  .map(f -> new Exp.Field(f.name(), initialOf(f.pattern()), f.span()))
                  .toList(),
              span);
      case Pattern.Ascribe(var inner, _, _) -> initialOf(inner);
      case Pattern.Attributed(_, var inner, _) -> initialOf(inner);
      case Pattern.Wildcard _, Pattern.Constant _, Pattern.Construct _ ->
          throw c.fail(
              K0110,
              "this loop needs an initial value: its pattern has more than names",
              "write `loop pattern = initial ...`");
    };
  }

  private Exp match() {
    int start = c.at();
    c.next();
    var subject = exps.outsideSlice();
    var cases = new ArrayList<Exp.Case>();
    while (c.at(TokenKind.CASE)) {
      int at = c.at();
      c.next();
      var pattern = patterns.casePattern();
      c.expect(TokenKind.ARROW, "after the pattern of a case");
      var body = exps.expression();
      cases.add(new Exp.Case(pattern, body, c.spanFrom(at)));
    }
    if (cases.isEmpty()) {
      throw c.unexpected("`case`");
    }
    return new Exp.Match(subject, cases, c.spanFrom(start));
  }

  private Exp lambda() {
    int start = c.at();
    c.next();
    var params = patterns.atoms();
    if (params.isEmpty()) {
      throw c.unexpected("a parameter of the lambda");
    }
    Optional<TypeExp> returnType =
        c.accept(TokenKind.COLON) ? Optional.of(types.typeWithoutArrow()) : Optional.empty();
    c.expect(TokenKind.ARROW, "and the body of the lambda");
    var body = exps.expression();
    return new Exp.Lambda(params, returnType, body, c.spanFrom(start));
  }

  private Exp assertion() {
    int start = c.at();
    c.next();
    var condition = atoms.atom();
    var value = exps.expression();
    return new Exp.Assert(condition, value, c.spanFrom(start));
  }
}
