package dev.kenaz.jobs.tools.script;

import static dev.kenaz.error.ErrorCode.K6210;

import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads expressions. */
public final class ScriptParser {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_']*");
  private static final Pattern NUMBER =
      Pattern.compile("-?([0-9][A-Za-z0-9_]*(\\.[0-9][A-Za-z0-9_]*)?([eE][-+]?[0-9]+[a-z0-9]*)?)");
  private static final Pattern EMPTY = Pattern.compile("empty\\s*\\([^)]*\\)");
  private static final Pattern FLOAT = Pattern.compile("-?f(16|32|64)\\.(nan|inf)");

  private final String text;
  private int at;

  private ScriptParser(String text) {
    this.text = text;
  }

  /**
   * Parses the whole text as one expression.
   *
   * @throws UserError (K6210) if it isn't one
   */
  public static ScriptExp parse(String text) {
    var parser = new ScriptParser(text);
    var exp = parser.exp();
    if (parser.peek() != 0) {
      throw parser.fault("unexpected text");
    }
    return exp;
  }

  private ScriptExp exp() {
    if (takeWord("let")) {
      var names = pattern();
      require("=");
      var value = exp();
      if (!takeWord("in")) {
        throw fault("expected in");
      }
      return new ScriptExp.Let(names, value, exp());
    }
    boolean builtin = take("$");
    if (!builtin && (!Character.isLetter(peek()) && peek() != '_' || special())) {
      return atom();
    }
    var name = name();
    var arguments = new ArrayList<ScriptExp>();
    while (startsAtom()) {
      arguments.add(atom());
    }
    return builtin ? new ScriptExp.Builtin(name, arguments) : new ScriptExp.Call(name, arguments);
  }

  private boolean startsAtom() {
    char c = peek();
    return c == '('
        || c == '['
        || c == '{'
        || c == '"'
        || c == '\''
        || c == '-'
        || c == '$'
        || Character.isDigit(c)
        || (Character.isLetter(c) || c == '_') && !at(Pattern.compile("in\\b"));
  }

  /** Whether a word comes next that begins a constant. */
  private boolean special() {
    return at(EMPTY) || at(FLOAT) || at(Pattern.compile("(true|false)\\b"));
  }

  private List<String> pattern() {
    var names = new ArrayList<String>();
    if (!take("(")) {
      names.add(name());
      return names;
    }
    do {
      names.add(name());
    } while (take(","));
    require(")");
    return names;
  }

  private ScriptExp atom() {
    char c = peek();
    return switch (c) {
      case '(' -> {
        at++;
        var elements = list(")");
        yield elements.size() == 1 ? elements.getFirst() : new ScriptExp.Tuple(elements);
      }
      case '[' -> {
        at++;
        yield new ScriptExp.Array(list("]"));
      }
      case '{' -> {
        at++;
        yield record();
      }
      case '"' -> quoted();
      case '$' -> {
        at++;
        yield new ScriptExp.Builtin(name(), List.of());
      }
      default -> {
        if (special()) {
          yield new ScriptExp.Constant(
              matched(Pattern.compile(EMPTY + "|" + FLOAT + "|true|false")));
        }
        yield Character.isLetter(c) || c == '_'
            ? new ScriptExp.Call(name(), List.of())
            : new ScriptExp.Constant(matched(NUMBER));
      }
    };
  }

  private List<ScriptExp> list(String end) {
    var elements = new ArrayList<ScriptExp>();
    if (take(end)) {
      return elements;
    }
    do {
      elements.add(exp());
    } while (take(","));
    require(end);
    return elements;
  }

  private ScriptExp record() {
    var fields = new ArrayList<ScriptExp.Field>();
    if (!take("}")) {
      do {
        var name = name();
        var value = take("=") ? exp() : new ScriptExp.Call(name, List.of());
        fields.add(new ScriptExp.Field(name, value));
      } while (take(","));
      require("}");
    }
    return new ScriptExp.Record(fields);
  }

  private ScriptExp quoted() {
    int end = text.indexOf('"', at + 1);
    if (end < 0) {
      throw fault("a quote without its end");
    }
    var inside = text.substring(at + 1, end);
    at = end + 1;
    return new ScriptExp.Text(inside);
  }

  // Characters

  private char peek() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  private boolean at(Pattern pattern) {
    return pattern.matcher(text).region(at, text.length()).lookingAt();
  }

  private boolean take(String symbol) {
    peek();
    if (!text.startsWith(symbol, at)) {
      return false;
    }
    at += symbol.length();
    return true;
  }

  private boolean takeWord(String word) {
    peek();
    if (!at(Pattern.compile(word + "\\b"))) {
      return false;
    }
    at += word.length();
    return true;
  }

  private void require(String symbol) {
    if (!take(symbol)) {
      throw fault("expected " + symbol);
    }
  }

  private String name() {
    peek();
    return matched(NAME);
  }

  private String matched(Pattern pattern) {
    var m = pattern.matcher(text).region(at, text.length());
    if (!m.lookingAt()) {
      throw fault("expected an expression");
    }
    at = m.end();
    return m.group();
  }

  private UserError fault(String message) {
    var rest = text.substring(Math.min(at, text.length()));
    return new UserError(
        K6210,
        "in a script: "
            + message
            + (rest.isBlank() ? " at the end" : " at \"" + rest.lines().findFirst().get() + "\""));
  }
}
