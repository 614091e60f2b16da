package dev.kenaz.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses module expressions, module types and specifications. */
record ModuleParser(
    Cursor c, TypeParser types, PatternParser patterns, DeclarationParser declarations) {
  ModuleExp module() {
    c.enter();
    int start = c.at();
    ModuleExp module = c.at(TokenKind.BACKSLASH) ? lambda() : application();
    while (c.accept(TokenKind.COLON)) {
      module = new ModuleExp.Seal(module, moduleType(), c.spanFrom(start));
    }
    c.leave();
    return module;
  }

  private ModuleExp lambda() {
    int start = c.at();
    c.next();
    var params = params();
    if (params.isEmpty()) {
      throw c.unexpected("`(name: module type)`");
    }
    Optional<ModuleTypeExp> ascription =
        c.accept(TokenKind.COLON) ? Optional.of(moduleTypeWithoutArrow()) : Optional.empty();
    c.expect(TokenKind.ARROW, "and the body of the parametric module");
    var body = module();
    for (int i = params.size() - 1; i >= 0; i--) {
      var sealing = i == params.size() - 1 ? ascription : Optional.<ModuleTypeExp>empty();
      body = new ModuleExp.Lambda(params.get(i), sealing, body, c.spanFrom(start));
    }
    return body;
  }

  /** Parses as many parameters {@code (name: type)} as there are. */
  List<ModuleParam> params() {
    var params = new ArrayList<ModuleParam>();
    while (c.at(TokenKind.LPAREN)) {
      int start = c.at();
      c.next();
      var name = c.name("a name of a module");
      c.expect(TokenKind.COLON, "and the type of the module");
      var type = moduleType();
      c.close(TokenKind.RPAREN, start);
      params.add(new ModuleParam(name, type, c.spanFrom(start)));
    }
    return params;
  }

  private ModuleExp application() {
    int start = c.at();
    var module = atom();
    while (startsAtom()) {
      module = new ModuleExp.Apply(module, atom(), c.spanFrom(start));
    }
    return module;
  }

  private boolean startsAtom() {
    return switch (c.kind()) {
      case NAME, LPAREN, LBRACE -> true;
      default -> false;
    };
  }

  private ModuleExp atom() {
    int start = c.at();
    return switch (c.kind()) {
      case NAME -> new ModuleExp.Name(c.qualName("a module"), c.spanFrom(start));
      case LPAREN -> {
        c.next();
        var module = module();
        c.close(TokenKind.RPAREN, start);
        yield module;
      }
      case LBRACE -> {
        c.next();
        var content = declarations.upTo(TokenKind.RBRACE);
        c.close(TokenKind.RBRACE, start);
        yield new ModuleExp.Block(content, c.spanFrom(start));
      }
      case IMPORT -> {
        c.next();
        yield new ModuleExp.Import(declarations.path(), c.spanFrom(start));
      }
      default -> throw c.unexpected("a module");
    };
  }

  ModuleTypeExp moduleType() {
    c.enter();
    int start = c.at();
    Optional<String> name = Optional.empty();
    ModuleTypeExp type;
    if (c.at(TokenKind.LPAREN) && c.kind(1) == TokenKind.NAME && c.kind(2) == TokenKind.COLON) {
      c.next();
      name = Optional.of(c.name("a name of a module"));
      c.next();
      type = moduleType();
      c.close(TokenKind.RPAREN, start);
      if (!c.at(TokenKind.ARROW)) {
        throw c.unexpected("`->` after a named parameter");
      }
    } else {
      type = moduleTypeWithoutArrow();
    }
    if (c.accept(TokenKind.ARROW)) {
      type = new ModuleTypeExp.Function(name, type, moduleType(), c.spanFrom(start));
    }
    c.leave();
    return type;
  }

  private ModuleTypeExp moduleTypeWithoutArrow() {
    int start = c.at();
    var type = moduleTypeAtom();
    while (c.accept(TokenKind.WITH)) {
      var name = c.qualName("the name of a type");
      var params = types.typeParams();
      c.expect(TokenKind.EQUALS, "and what the type is");
      var definition = types.typeWithoutArrow();
      type = new ModuleTypeExp.With(type, name, params, definition, c.spanFrom(start));
    }
    return type;
  }

  private ModuleTypeExp moduleTypeAtom() {
    int start = c.at();
    return switch (c.kind()) {
      case NAME -> new ModuleTypeExp.Name(c.qualName("a module type"), c.spanFrom(start));
      case LPAREN -> {
        c.next();
        var type = moduleType();
        c.close(TokenKind.RPAREN, start);
        yield type;
      }
      case LBRACE -> {
        c.next();
        var specs = new ArrayList<Spec>();
        while (!c.at(TokenKind.RBRACE) && !c.at(TokenKind.END)) {
          specs.add(spec());
        }
        c.close(TokenKind.RBRACE, start);
        yield new ModuleTypeExp.Specs(specs, c.spanFrom(start));
      }
      default -> throw c.unexpected("a module type");
    };
  }

  private Spec spec() {
    int start = c.at();
    var doc = c.tokens().doc(start);
    var attributes = new ArrayList<Attribute>();
    while (c.at(TokenKind.ATTRIBUTE)) {
      attributes.add(patterns.attribute());
    }
    var modifiers = new Modifiers(doc, attributes, false);
    return switch (c.kind()) {
      case VAL -> valueSpec(modifiers, start);
      case TYPE -> typeSpec(modifiers, start);
      case MODULE -> {
        c.next();
        var name = c.name("a name of a module");
        c.expect(TokenKind.COLON, "and the type of the module");
        yield new Spec.Module(modifiers, name, moduleType(), c.spanFrom(start));
      }
      case INCLUDE -> {
        c.next();
        yield new Spec.Include(modifiers, moduleType(), c.spanFrom(start));
      }
      default -> throw c.unexpected("`val`, `type`, `module`, `include` or `}`");
    };
  }

  private Spec valueSpec(Modifiers modifiers, int start) {
    c.next();
    String name;
    if (c.at(TokenKind.LPAREN) || c.at(TokenKind.SYMBOL)) {
      int open = c.at();
      boolean parenthesised = c.accept(TokenKind.LPAREN);
      name = declarations.symbol();
      if (parenthesised) {
        c.close(TokenKind.RPAREN, open);
      }
    } else {
      name = c.name("a name of a value");
    }
    var typeParams = types.typeParams();
    c.expect(TokenKind.COLON, "and the type of the value");
    return new Spec.Value(modifiers, name, typeParams, types.type(), c.spanFrom(start));
  }

  private Spec typeSpec(Modifiers modifiers, int start) {
    c.next();
    var liftedness = declarations.liftednessMark();
    var name = c.name("a name of a type");
    var params = types.typeParams();
    Optional<TypeExp> definition =
        c.accept(TokenKind.EQUALS) ? Optional.of(types.type()) : Optional.empty();
    return new Spec.Type(modifiers, liftedness, name, params, definition, c.spanFrom(start));
  }
}
