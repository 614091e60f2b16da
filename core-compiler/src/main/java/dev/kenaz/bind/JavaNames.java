package dev.kenaz.bind;

import dev.kenaz.ir.EntryPoint.RecordType;
import java.util.HashSet;
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
   * Returns the names that the components of a record class have for the fields of a record, or
   * that {@code kenaz bind} gives them for a tuple.
   */
  public static List<String> components(RecordType type) {
    var prefix = isTuple(type) ? "v" : "";
    return unique(type.fields().stream().map(f -> prefix + f.name()).toList(), Set.of());
  }

  /**
   * Returns different identifiers for the names. A name that is an identifier stays as it is; one
   * that has to change, or is taken, gets underscores until it differs from all others.
   */
  public static List<String> unique(List<String> names, Set<String> taken) {
    var used = new HashSet<>(taken);
    var unique = new String[names.size()];
    for (boolean unchanged : new boolean[] {true, false}) {
      for (int i = 0; i < unique.length; i++) {
        var name = of(names.get(i));
        if (unique[i] == null
            && (!unchanged || name.equals(names.get(i)) && !used.contains(name))) {
          while (!used.add(name)) {
            name += "_";
          }
          unique[i] = name;
        }
      }
    }
    return List.of(unique);
  }
}
