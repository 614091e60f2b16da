package dev.kenaz.jobs.tools.repl;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.tools.Item;
import dev.kenaz.jobs.tools.ShownItem;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.source.Parser;
import dev.kenaz.typing.SType;
import dev.kenaz.typing.TypePrinter;
import dev.kenaz.typing.TypedDef;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** This is a session. It has the definitions that were loaded or made so far. */
public final class Session {
  private static final String RESULT = "kenaz_repl_result";
  private static final String EMPTY = "[repl]";

  private final CompileOptions options;
  private ProgramSource source = ProgramSource.of(EMPTY, "");

  /** The program, with the text that was tried last. */
  private ProgramSource tried = source;

  public Session(CompileOptions options) {
    this.options = options;
  }

  /** Returns the text of a file of the program, with the text that was tried last. */
  public Optional<String> text(String file) {
    return tried.text(file);
  }

  /** Whether the text is the beginning of a definition or expression that ends too early. */
  public static boolean isIncomplete(String text) {
    var expression = definition("def", text);
    return !parses(text) && !parses(expression) && (endsEarly(text) || endsEarly(expression));
  }

  private static boolean endsEarly(String text) {
    var lines = text.stripTrailing() + "\n";
    try {
      Parser.parse(EMPTY, lines);
      return false;
    } catch (UserError e) {
      var last = e.diagnostics().getLast();
      return last.span().line() > lines.lines().count()
          || last.message().contains("the end of the file");
    }
  }

  /** Replaces everything by a program, after checking it. */
  public void load(ProgramSource program) {
    tried = program;
    Compiler.check(program);
    source = program;
  }

  /** Whether the text is a definition rather than an expression. */
  public static boolean isDeclaration(String text) {
    var word = text.strip().split("[\\s(\\[\"#]", 2)[0];
    return switch (word) {
      case "def", "entry", "type", "type^", "type~", "module", "open", "import", "local", "val" ->
          true;
      case "let" -> parses(text);
      default -> false;
    };
  }

  private static boolean parses(String text) {
    try {
      return !Parser.parse(EMPTY, text).declarations().isEmpty();
    } catch (UserError _) {
      return false; // It is an expression: let ... in ...
    }
  }

  /** Keeps definitions. */
  public void define(String text) {
    load(with(text));
  }

  /** Returns the type of an expression. */
  public String type(String expression) {
    return type(result("def", expression));
  }

  private static String type(TypedDef def) {
    return new TypePrinter().result(def.result());
  }

  /** Returns the value of an expression as text; for a function, its type. */
  public String evaluate(String expression) {
    var def = result("def", expression);
    if (def.result().type() instanceof SType.Arrow) {
      return "<function> : " + type(def);
    }
    try (var program = Compiler.compile(with(definition("entry", expression)), options)) {
      var entry = program.entry(RESULT);
      return ShownItem.of(
          new Item(entry.type().results().getFirst().type(), entry.call(List.of())));
    }
  }

  private TypedDef result(String keyword, String expression) {
    return Compiler.check(with(definition(keyword, expression))).defs().getLast();
  }

  private static String definition(String keyword, String expression) {
    return keyword + " " + RESULT + " =\n" + expression;
  }

  private ProgramSource with(String more) {
    var files = new HashMap<>(source.files());
    files.merge(source.root(), "\n" + more + "\n", String::concat);
    tried = new ProgramSource(source.root(), files);
    return tried;
  }
}
