package dev.kenaz.jobs.measure;

import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds variables in texts of a configuration: {@code $name} or <code>${name}</code>. */
final class Variables {
  private static final Pattern VARIABLE =
      Pattern.compile("\\$(?:\\{([A-Za-z][A-Za-z0-9_-]*)}|([A-Za-z][A-Za-z0-9_]*))");

  private Variables() {}

  private static String name(MatchResult variable) {
    return Optional.ofNullable(variable.group(1)).orElse(variable.group(2));
  }

  /** Returns the names of all variables of a text. */
  static Set<String> names(String text) {
    return VARIABLE.matcher(text).results().map(Variables::name).collect(Collectors.toSet());
  }

  /** Returns the name of the variable if the text is nothing else. */
  static Optional<String> only(String text) {
    var whole = VARIABLE.matcher(text);
    return whole.matches() ? Optional.of(name(whole)) : Optional.empty();
  }

  /**
   * Returns a text with values in the place of variables.
   *
   * @param value returns the value of a variable; one without a value stays as it is, since it may
   *     be something else
   */
  static String replaced(String text, Function<String, Optional<String>> value) {
    return VARIABLE
        .matcher(text)
        .replaceAll(v -> Matcher.quoteReplacement(value.apply(name(v)).orElse(v.group())));
  }
}
