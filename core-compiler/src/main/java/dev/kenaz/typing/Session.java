package dev.kenaz.typing;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One check of one program: the parts of the checker, which call each other, and what they share. */
final class Session {
  final Inference inference;
  final Unifier unifier;
  final TypeResolver types = new TypeResolver(this);
  final Patterns patterns = new Patterns(this);
  final Applications applications = new Applications(this);
  final Loops loops = new Loops(this);
  final Functions functions = new Functions(this);
  final Expressions expressions = new Expressions(this);
  final Names names = new Names(this);
  final TypePrinter printer = new TypePrinter();
  final List<Diagnostic> warnings = new ArrayList<>();
  final Map<VName, TypeDef> representations = new HashMap<>();

  /** Types of character literals, which are u8 unless used otherwise. */
  final List<SType> characters = new ArrayList<>();

  Session(int firstTag) {
    inference = new Inference(firstTag);
    unifier = new Unifier(inference);
  }

  static UserError error(String code, Span span, String message, String... hints) {
    return new UserError(code, span, message, hints);
  }

  /** Makes an expression's type the one that is asked for, or says that it is not. */
  void expect(SType expected, SType actual, Span span, String what) {
    try {
      unifier.unify(expected, actual);
    } catch (Mismatch m) {
      throw mismatch(expected, actual, span, what, m);
    }
  }

  UserError mismatch(SType expected, SType actual, Span span, String what, Mismatch m) {
    return error(
        m.ofSizes ? "K3001" : "K2001",
        span,
        what
            + " should have type `"
            + printer.type(Types.strip(expected))
            + "`, but has type `"
            + printer.type(Types.strip(actual))
            + "`",
        m.getMessage());
  }

  void warn(String code, Span span, String message) {
    warnings.add(Diagnostic.of(code, span, message));
  }
}
