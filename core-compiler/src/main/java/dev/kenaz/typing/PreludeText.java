package dev.kenaz.typing;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The prelude's source files. Those of the numeric types come from one text for all integers and
 * one for all floats.
 */
public final class PreludeText {
  private static final String FOLDER = "/dev/kenaz/";
  private static final List<String> PLAIN =
      List.of("functional", "soacs", "array", "ad", "math", "bool");
  private static final Map<Prim, String> NANS =
      Map.of(Prim.F16, "0x7E00", Prim.F32, "0x7FC00000", Prim.F64, "0x7FF8000000000000");

  private PreludeText() {}

  /**
   * A file of the prelude.
   *
   * @param name the name in spans, such as {@code <prelude>/array.fut}
   */
  public record File(String name, String text) {
    /** The name of the module in the file, if it is a module of numbers. */
    String module() {
      return name.substring(name.indexOf('/') + 1, name.lastIndexOf('.'));
    }
  }

  /** Returns the files in the order in which they must be read: each opens all before it. */
  public static List<File> files() {
    var files = new ArrayList<>(plain());
    files.addAll(numbers());
    return files;
  }

  /** Returns all files but the modules of numbers. */
  static List<File> plain() {
    return PLAIN.stream()
        .map(n -> new File("<prelude>/" + n + ".fut", resource("prelude/" + n)))
        .toList();
  }

  /** Returns the modules of numbers. Each uses {@link #plain} and the modules before it. */
  static List<File> numbers() {
    var files = new ArrayList<File>();
    var integer = resource("prelude/integer");
    var floating = resource("prelude/float");
    for (var p : Prim.values()) {
      if (p.isInteger()) {
        files.add(new File("<prelude>/" + p + ".fut", integer(integer, p)));
      }
    }
    for (var p : NANS.keySet().stream().sorted().toList()) {
      var text = floating.replace("$bits", bits(p)).replace("$nan", NANS.get(p));
      files.add(new File("<prelude>/" + p + ".fut", text.replace("$t", p.text())));
    }
    return files;
  }

  private static String integer(String text, Prim p) {
    int bits = 8 * p.byteSize();
    // The least signed number has no literal of its own.
    var highest = p.isSigned() ? Long.toString(-1L >>> (65 - bits)) : "(0 - 1)";
    var lowest = p.isSigned() ? "(-" + highest + ") - 1" : "0";
    return text.replace("$bits", bits(p))
        .replace("$highest", highest)
        .replace("$lowest", lowest)
        .replace("$t", p.text());
  }

  private static String bits(Prim p) {
    return Integer.toString(8 * p.byteSize());
  }

  /** Returns the text of a resource of the compiler. */
  static String resource(String name) {
    try (var in = PreludeText.class.getResourceAsStream(FOLDER + name + ".fut")) {
      if (in == null) {
        throw new CompilerBug("typing", "the file " + name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new CompilerBug("typing", "can't read the file " + name, e);
    }
  }
}
