package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K2001;
import static dev.kenaz.error.ErrorCode.K2006;
import static dev.kenaz.error.ErrorCode.K2102;
import static dev.kenaz.error.ErrorCode.K3001;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One check of one program: the parts of the checker, which call each other, and what they share.
 */
final class Session {
  private static final int MOST_PARTS = 50_000;

  final Inference inference;
  final Unifier unifier;
  final Scopes scopes;
  final TypeResolver types;
  final Patterns patterns;
  final Applications applications;
  final Slices slices;
  final Loops loops;
  final Matches matches;
  final Functions functions;
  final Expressions expressions;
  final Names names;
  final Attributes attributes = new Attributes(this);
  final Uniqueness uniqueness = new Uniqueness();
  final LocalFunctions localFunctions = new LocalFunctions(this);

  /** The first tag of this program's names; names with a smaller tag are the prelude's. */
  final int firstTag;

  final TypePrinter printer = new TypePrinter();
  final List<Diagnostic> warnings = new ArrayList<>();
  final Map<VName, TypeDef> representations = new HashMap<>();

  /** The places of this program's definitions. */
  final Map<VName, Span> places = new HashMap<>();

  /** Functions whose bodies are being checked, which may call themselves. */
  final Set<VName> defining = new HashSet<>();

  /** Functions that call themselves. */
  final Set<VName> recursive = new HashSet<>();

  /** Types of character literals, which are u8 unless used otherwise. */
  final List<SType> characters = new ArrayList<>();

  Session(int firstTag) {
    this.firstTag = firstTag;
    inference = new Inference(firstTag);
    unifier = new Unifier(inference);
    scopes = new Scopes(inference);
    types = new TypeResolver(this);
    patterns = new Patterns(this);
    applications = new Applications(this);
    slices = new Slices(this);
    loops = new Loops(this, scopes);
    matches = new Matches(this, scopes);
    functions = new Functions(this, scopes);
    expressions = new Expressions(this, scopes);
    names = new Names(this);
  }

  static UserError error(ErrorCode code, Span span, String message, String... hints) {
    return new UserError(code, span, message, hints);
  }

  /** Makes an expression's type the one that is asked for, or says that it is not. */
  void expect(SType expected, SType actual, Span span, String what) {
    try {
      unifier.unify(expected, actual);
    } catch (Mismatch m) {
      throw mismatch(expected, actual, span, what + " does not have the expected type", m);
    }
  }

  UserError mismatch(
      SType expected, SType actual, Span span, String what, Mismatch m, String... more) {
    var wanted = Types.strip(expected);
    var found = Types.strip(actual);
    var apart = TypePrinter.ofTwo(wanted, found);
    List<String> hints = new ArrayList<>(List.of(m.message(apart)));
    hints.addAll(m.hints);
    hints.addAll(LikelyOmission.hints(wanted, found, m));
    hints.addAll(List.of(more));
    return error(
        m.ofSizes ? K3001 : K2001,
        span,
        what
            + "\nExpected: "
            + described(wanted, apart)
            + "\nActual:   "
            + (Types.resolve(found) instanceof SType.Meta m2
                    && m2.constraint instanceof Constraint.Any
                ? described(found, apart)
                : apart.type(found)),
        hints.toArray(String[]::new));
  }

  /** Describes a type, or what is known of it. */
  private String described(SType type, TypePrinter as) {
    return Types.resolve(type) instanceof SType.Meta t
            && !(t.constraint instanceof Constraint.Any(var a) && a == Constraint.Ability.ANY)
        ? unifier.describe(t.constraint)
        : as.type(type);
  }

  /** Demands that a type is not larger than what a person would write. */
  void bounded(SType type, Span span) {
    if (Types.parts(type, MOST_PARTS) >= MOST_PARTS) {
      throw error(
          K2102,
          span,
          "The type has more than " + MOST_PARTS + " parts",
          "each `(x, x)` doubles the type of `x`; an array or a loop may do");
    }
  }

  /**
   * Demands that a type holds no functions: a function that is called must be known when the
   * program is compiled.
   */
  void noFunctions(SType type, Span span, String message) {
    try {
      unifier.require(type, Constraint.Ability.SIZE_LIFTED);
    } catch (Mismatch m) {
      throw error(K2006, span, message, m.getMessage());
    }
  }

  void warn(ErrorCode code, Span span, String message) {
    warnings.add(Diagnostic.of(code, span, message));
  }
}
