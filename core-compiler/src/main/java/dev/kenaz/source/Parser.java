package dev.kenaz.source;

import static dev.kenaz.error.ErrorCode.K0006;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Parses text to surface trees. */
public final class Parser {
  /** At most this many faults of one file are reported. */
  static final int MOST_FAULTS = 20;

  /** Text that is longer than this is refused. */
  private static final int LONGEST_TEXT = 64 << 20;

  private Parser() {}

  /**
   * Parses a whole file.
   *
   * @param fileName the file's name in spans
   * @throws UserError with up to 20 faults, at most one for each declaration
   */
  public static SourceFile parse(String fileName, String text) {
    return run(fileName, text, parser -> file(fileName, parser));
  }

  /**
   * Parses one type, which must be all of the text.
   *
   * @throws UserError if it is not a type
   */
  public static TypeExp parseType(String fileName, String text) {
    return run(fileName, text, parser -> whole(parser, parser.declarations.exps().types()::type));
  }

  /**
   * Parses one expression, which must be all of the text.
   *
   * @throws UserError if it is not an expression
   */
  public static Exp parseExpression(String fileName, String text) {
    return run(fileName, text, parser -> whole(parser, parser.declarations.exps()::outsideSlice));
  }

  private record Grammar(Cursor cursor, DeclarationParser declarations) {}

  private static SourceFile file(String fileName, Grammar parser) {
    var tokens = parser.cursor.tokens();
    var declarations = parser.declarations.upTo(TokenKind.END);
    var span = tokens.span(0, tokens.size() - 1);
    return new SourceFile(fileName, tokens.fileDoc(), declarations, span);
  }

  private static <T> T whole(Grammar parser, Supplier<T> rule) {
    try {
      var result = rule.get();
      parser.cursor.expect(TokenKind.END, "");
      return result;
    } catch (ParseFailure failure) {
      throw new UserError(List.of(failure.diagnostic()));
    }
  }

  private static <T> T run(String fileName, String text, Function<Grammar, T> rule) {
    if (text.length() > LONGEST_TEXT) {
      throw new UserError(
          K0006,
          new Span(fileName, 1, 1, 1, 1),
          "this file is too large for a program: " + text.length() + " characters",
          "data belongs in files of its own, given as arguments of an entry point");
    }
    return DeepStack.call(
        () -> {
          var lexer = new Lexer(fileName, text);
          var cursor = new Cursor(lexer.tokens());
          var grammar = new Grammar(cursor, new DeclarationParser(cursor));
          T result = null;
          var faults = new ArrayList<>(lexer.faults());
          try {
            result = rule.apply(grammar);
            faults.addAll(grammar.declarations.faults());
          } catch (UserError error) {
            if (faults.isEmpty()) {
              faults.addAll(error.diagnostics());
            }
          }
          if (!faults.isEmpty()) {
            throw new UserError(first(faults));
          }
          return result;
        });
  }

  private static List<Diagnostic> first(List<Diagnostic> faults) {
    var order =
        Comparator.comparingInt((Diagnostic d) -> d.span().line())
            .thenComparingInt(d -> d.span().column());
    return faults.stream().sorted(order).limit(MOST_FAULTS).toList();
  }
}
