package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0101;
import static dev.kenaz.error.ErrorCode.K0106;
import static dev.kenaz.error.ErrorCode.K0111;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Parses declarations, and goes on after one that has a fault. */
final class DeclarationParser {
  private static final Set<String> NOT_DEFINABLE = Set.of("&&", "||", "!");

  private final Cursor c;
  private final ExpParser exps;
  private final TypeParser types;
  private final PatternParser patterns;
  private final ModuleParser modules;
  private final List<Diagnostic> faults = new ArrayList<>();

  DeclarationParser(Cursor cursor) {
    c = cursor;
    exps = new ExpParser(cursor);
    types = exps.types();
    patterns = exps.patterns();
    modules = new ModuleParser(cursor, types, patterns, this);
  }

  ExpParser exps() {
    return exps;
  }

  /** Returns the faults in their order, at most one for each declaration. */
  List<Diagnostic> faults() {
    return faults;
  }

  /**
   * Parses declarations up to a closing brace or the end, which it doesn't consume. Declarations
   * with a fault are left out.
   */
  List<Declaration> upTo(TokenKind end) {
    var declarations = new ArrayList<Declaration>();
    while (!c.at(end) && !c.at(TokenKind.END)) {
      int start = c.at();
      int depth = c.depth();
      try {
        declarations.add(declaration());
        if (!atBoundary(end)) {
          throw c.unexpected("a declaration");
        }
      } catch (ParseFailure failure) {
        exps.reset();
        c.resetDepth(depth);
        recover(start, end, failure);
      }
    }
    return declarations;
  }

  private boolean atBoundary(TokenKind end) {
    return c.at(end) || c.at(TokenKind.END) || startsDeclaration();
  }

  private boolean startsDeclaration() {
    return switch (c.kind()) {
      case DEF, LET, ENTRY, TYPE, MODULE, OPEN, IMPORT, LOCAL, ATTRIBUTE -> true;
      default -> false;
    };
  }

  /**
   * Skips to where the next declaration seems to begin: a word that can't be inside one, or a
   * {@code let} or attribute at the left margin. A fault is reported only if the lexer has reported
   * none there.
   */
  private void recover(int start, TokenKind end, ParseFailure failure) {
    if (c.at() == start) {
      c.next();
    }
    int braces = 0;
    while (!c.at(TokenKind.END)) {
      if (c.at(TokenKind.LBRACE)) {
        braces++;
      } else if (c.at(TokenKind.RBRACE)) {
        if (braces == 0 && end == TokenKind.RBRACE) {
          break;
        }
        braces = Math.max(0, braces - 1);
      } else if (restartsHere(braces)) {
        break;
      }
      c.next();
    }
    if (faults.size() < Parser.MOST_FAULTS && !c.tokens().anyInvalid(start, c.at())) {
      faults.add(failure.diagnostic());
    }
  }

  private boolean restartsHere(int braces) {
    int column = c.tokens().columnIfFirstOnLine(c.at());
    return switch (c.kind()) {
      case DEF, ENTRY -> column > 0 && braces == 0 || column == 1;
      case TYPE, MODULE, OPEN, IMPORT, LOCAL, LET, ATTRIBUTE -> column == 1;
      default -> false;
    };
  }

  private Declaration declaration() {
    c.enter();
    int start = c.at();
    var modifiers = modifiers();
    var declaration =
        switch (c.kind()) {
          case DEF, LET, ENTRY -> value(modifiers, start);
          case TYPE -> type(modifiers, start);
          case MODULE -> module(modifiers, start);
          case OPEN -> {
            c.next();
            yield new Declaration.Open(modifiers, modules.module(), c.spanFrom(start));
          }
          case IMPORT -> {
            c.next();
            yield new Declaration.Import(modifiers, path(), c.spanFrom(start));
          }
          default -> throw c.unexpected("a declaration");
        };
    c.leave();
    return declaration;
  }

  private Modifiers modifiers() {
    var doc = c.tokens().doc(c.at());
    var attributes = new ArrayList<Attribute>();
    boolean local = false;
    while (c.at(TokenKind.ATTRIBUTE) || c.at(TokenKind.LOCAL)) {
      if (c.accept(TokenKind.LOCAL)) {
        local = true;
      } else {
        attributes.add(patterns.attribute());
      }
    }
    return new Modifiers(doc, attributes, local);
  }

  /** Parses the string after {@code import}. */
  String path() {
    if (!c.at(TokenKind.STRING)) {
      throw c.unexpected("a file name in quotes");
    }
    var text = c.text();
    c.next();
    return Escapes.decode(text, 1, text.length() - 1);
  }

  private Declaration type(Modifiers modifiers, int start) {
    c.next();
    var liftedness = liftednessMark();
    var name = c.name("a name of a type");
    var params = types.typeParams();
    c.expect(TokenKind.EQUALS, "and what the type is");
    var definition = types.type();
    return new Declaration.Type(modifiers, liftedness, name, params, definition, c.spanFrom(start));
  }

  /** Parses the mark after {@code type}, if there is one. */
  Liftedness liftednessMark() {
    if (c.accept(TokenKind.TILDE)) {
      return Liftedness.SIZE_LIFTED;
    }
    if (c.atSymbol("^")) {
      c.next();
      return Liftedness.LIFTED;
    }
    return Liftedness.UNLIFTED;
  }

  private Declaration module(Modifiers modifiers, int start) {
    c.next();
    if (c.accept(TokenKind.TYPE)) {
      var name = c.name("a name of a module type");
      c.expect(TokenKind.EQUALS, "and what the module type is");
      var type = modules.moduleType();
      return new Declaration.ModuleType(modifiers, name, type, c.spanFrom(start));
    }
    var name = c.name("a name of a module");
    var params = modules.params();
    Optional<ModuleTypeExp> ascription =
        c.accept(TokenKind.COLON) ? Optional.of(modules.moduleType()) : Optional.empty();
    c.expect(TokenKind.EQUALS, "and what the module is");
    var body = modules.module();
    return new Declaration.Module(modifiers, name, params, ascription, body, c.spanFrom(start));
  }

  private Declaration value(Modifiers modifiers, int start) {
    boolean entry = c.at(TokenKind.ENTRY);
    c.next();
    if (c.at(TokenKind.LPAREN) && c.kind(1) == TokenKind.SYMBOL && c.kind(2) == TokenKind.RPAREN) {
      c.next();
      int at = c.at();
      var name = definedSymbol();
      c.next();
      return function(modifiers, entry, name, c.tokens().span(at, at), start);
    }
    if (c.at(TokenKind.NAME) && !isInfix(1)) {
      int at = c.at();
      var name = c.name("a name");
      var span = c.spanFrom(at);
      return function(modifiers, entry, name, span, start);
    }
    return infix(modifiers, entry, start);
  }

  private boolean isInfix(int ahead) {
    return c.kind(ahead) == TokenKind.SYMBOL && !negativeLiteral(ahead)
        || c.kind(ahead) == TokenKind.BACKTICK;
  }

  /**
   * Whether a negative literal comes next: {@code def f -1 = ...} has one as its parameter, which
   * only the checker refuses.
   */
  private boolean negativeLiteral(int ahead) {
    return patterns.startsAtom(ahead);
  }

  /** Parses {@code left symbol right [: type] = body}. */
  private Declaration infix(Modifiers modifiers, boolean entry, int start) {
    if (!patterns.startsAtom(0)) {
      throw c.unexpected("a name");
    }
    var left = patterns.atom();
    int at = c.at();
    String name;
    if (c.accept(TokenKind.BACKTICK)) {
      name = c.name("a name");
      c.expect(TokenKind.BACKTICK, "after the name");
    } else {
      name = definedSymbol();
    }
    var nameSpan = c.spanFrom(at);
    var params = List.of(left, patterns.atom());
    return body(modifiers, entry, name, nameSpan, List.of(), params, start);
  }

  private Declaration function(
      Modifiers modifiers, boolean entry, String name, Span nameSpan, int start) {
    var typeParams = types.typeParams();
    var params = patterns.atoms();
    return body(modifiers, entry, name, nameSpan, typeParams, params, start);
  }

  private Declaration body(
      Modifiers modifiers,
      boolean entry,
      String name,
      Span nameSpan,
      List<TypeParam> typeParams,
      List<Pattern> params,
      int start) {
    Optional<TypeExp> returnType =
        c.accept(TokenKind.COLON) ? Optional.of(types.type()) : Optional.empty();
    if (name.startsWith("=") && !c.at(TokenKind.EQUALS)) {
      throw c.fail(
          K0101,
          "expected `=` and the body of `" + name + "`",
          "`" + name + "` is read as one operator: leave a space after `=`");
    }
    c.expect(TokenKind.EQUALS, "and the body of `" + name + "`");
    var body = exps.outsideSlice();
    return new Declaration.Value(
        modifiers, entry, name, nameSpan, typeParams, params, returnType, body, c.spanFrom(start));
  }

  /** Parses the symbol of an operator that is being defined, which can't be one that is syntax. */
  private String definedSymbol() {
    if (c.at(TokenKind.SYMBOL) && NOT_DEFINABLE.contains(c.text()) && !c.here().inPrelude()) {
      throw c.fail(K0111, "The " + c.text() + " operator may not be redefined");
    }
    return symbol();
  }

  /** Parses the symbol of an operator that is being defined or specified. */
  String symbol() {
    if (!c.at(TokenKind.SYMBOL)) {
      throw c.unexpected("an operator");
    }
    var text = c.text();
    if (!InfixOperators.isSymbol(text)) {
      throw c.fail(K0106, "a name that is bound here can't be qualified");
    }
    c.next();
    return text;
  }
}
