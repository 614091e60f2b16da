package dev.kenaz.bind;

import dev.kenaz.ir.EntryPoint.RecordType;
import java.util.List;
import java.util.Set;

/** Turns names of programs into names of Java. */
public final class JavaNames {
  /**
   * Words that are no identifiers although they look like some, or would hide a method of all
   * objects.
   */
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
   * Returns the name as an identifier. A character that Java doesn't allow in one becomes an
   * underscore; a reserved word gets an underscore at its end, and a number at its beginning.
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

  /** Whether the fields of a record are those of a tuple, which have numbers in order. */
  public static boolean isTuple(RecordType type) {
    for (int i = 0; i < type.fields().size(); i++) {
      if (!type.fields().get(i).name().equals(Integer.toString(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the names of the components of the record class that {@code kenaz bind} writes for a
   * record or a tuple.
   */
  public static List<String> components(RecordType type) {
    var prefix = isTuple(type) ? "v" : "";
    return type.fields().stream().map(f -> of(prefix + f.name())).toList();
  }
}
