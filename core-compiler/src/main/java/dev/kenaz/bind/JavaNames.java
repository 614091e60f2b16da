package dev.kenaz.bind;

import java.util.Set;

/** Names of programs as names of Java. */
public final class JavaNames {
  /** What is no identifier although it looks like one, or would hide a method of all objects. */
  private static final Set<String> RESERVED =
      Set.of(
          ("_ abstract assert boolean break byte case catch char class const continue default do"
                  + " double else enum extends final finally float for goto if implements import"
                  + " instanceof int interface long native new package private protected public"
                  + " return short static strictfp super switch synchronized this throw throws"
                  + " transient try void volatile while true false null"
                  + " clone finalize getClass hashCode notify notifyAll toString wait")
              .split(" "));

  private JavaNames() {}

  /**
   * The name as an identifier: what Java doesn't allow in one becomes an underscore; a reserved
   * word gets one at its end, a number at its beginning.
   */
  public static String of(String name) {
    var text = new StringBuilder();
    name.codePoints()
        .forEach(c -> text.appendCodePoint(Character.isJavaIdentifierPart(c) ? c : '_'));
    if (text.isEmpty() || !Character.isJavaIdentifierStart(text.codePointAt(0))) {
      text.insert(0, '_');
    }
    var identifier = text.toString();
    return RESERVED.contains(identifier) ? identifier + "_" : identifier;
  }
}
