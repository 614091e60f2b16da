package dev.kenaz.jobs.tools.bind;

import dev.kenaz.bind.JavaNames;
import dev.kenaz.ir.EntryPoint;
import dev.kenaz.jobs.tools.doc.Comments;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.source.Declaration;
import dev.kenaz.source.Parser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Writes a class with a method for each entry point of a program, which contains the program's
 * text. All names of other classes in it are written in full, as a record of a program may have any
 * name.
 */
public final class JavaStub {
  /**
   * How many characters a constant has at most: it may take 65,535 bytes, and a character takes up
   * to three.
   */
  private static final int LONGEST_CONSTANT = 20_000;

  /** The methods that the class has itself. */
  private static final Set<String> METHODS = Set.of("program", "close", "files", "equals");

  /**
   * The first parts of names that are written in full; a parameter of such a name would hide them.
   */
  private static final Set<String> PACKAGES = Set.of("java", "dev");

  private final ProgramSource source;
  private final CompiledProgram program;
  private final String name;
  private final StubTypes types;
  private final Map<String, String> docs = new HashMap<>();

  private JavaStub(ProgramSource source, CompiledProgram program) {
    this.source = source;
    this.program = program;
    this.name = className(source);
    this.types = new StubTypes(name, program.entryPoints());
  }

  /** Returns the name of the class, which is made from that of the file. */
  public static String className(ProgramSource source) {
    var file = Path.of(source.root()).getFileName().toString();
    return StubTypes.className(file.replaceFirst("\\.fut$", ""));
  }

  /** Returns the text of the class. */
  public static String of(ProgramSource source, CompiledProgram program, String inPackage) {
    return new JavaStub(source, program).text(inPackage);
  }

  private String text(String inPackage) {
    var file = Parser.parse(source.root(), source.files().get(source.root()));
    for (var d : file.declarations()) {
      if (d instanceof Declaration.Value v) {
        v.modifiers().doc().ifPresent(text -> docs.put(v.name(), text));
      }
    }
    var methods = new StringBuilder();
    var entries = program.entryPoints();
    var names = JavaNames.unique(entries.stream().map(EntryPoint::name).toList(), METHODS);
    for (int i = 0; i < entries.size(); i++) {
      methods.append(method(entries.get(i), names.get(i)));
    }
    var root = Path.of(source.root()).getFileName();
    return """
    package %1$s;

    %2$spublic final class %3$s implements java.lang.AutoCloseable {
      private final dev.kenaz.Program program;

      /** Compiles the program for the JVM and all cores. */
      public %3$s() {
        this(dev.kenaz.options.CompileOptions.of(dev.kenaz.options.Backend.JVM));
      }

      /** Compiles the program. */
      public %3$s(dev.kenaz.options.CompileOptions options) {
        program = dev.kenaz.Kenaz.compile(%4$s, files(), options);
      }

      /** The program, for derivatives of its entry points and for calls with other types. */
      public dev.kenaz.Program program() {
        return program;
      }

      @java.lang.Override
      public void close() {
        program.close();
      }
    %5$s%6$s
      private static java.util.Map<java.lang.String, java.lang.String> files() {
        var files = new java.util.HashMap<java.lang.String, java.lang.String>();
    %7$s    return files;
      }
    }
    """
        .formatted(
            inPackage,
            header(file.doc().orElse(""), root.toString()),
            name,
            literal(root.toString()),
            methods,
            types.declarations(),
            files());
  }

  private static String header(String doc, String file) {
    var about =
        "The entry points of " + Javadoc.code(file) + ". Made by {@code kenaz bind}; change";
    var more =
        doc.isBlank()
            ? List.of(about, "the program and make it again.")
            : List.of("", "<p>" + about, "the program and make it again.");
    return Javadoc.of(doc.isBlank() ? "" : Comments.html(doc), more).replaceAll("(?m)^  ", "");
  }

  private String method(EntryPoint entry, String method) {
    var place = StubTypes.className(method);
    var names = new ArrayList<String>();
    for (var p : entry.params()) {
      names.add(p.name().equals("_") ? "argument" + (names.size() + 1) : p.name());
    }
    var arguments = JavaNames.unique(names, PACKAGES);
    var parameters = new ArrayList<String>();
    for (var p : entry.params()) {
      var argument = arguments.get(parameters.size());
      var type = types.of(p.type(), place + StubTypes.className(argument));
      parameters.add(type + " " + argument);
    }
    var result = types.of(entry.results().getFirst().type(), place + "Result");
    var list = "java.util.Arrays.asList(new java.lang.Object[] {%s})";
    var doc = Optional.ofNullable(docs.get(entry.name())).map(Comments::html);
    var more = new ArrayList<String>();
    if (!StubTypes.fit(parameters)) {
      more.add("");
      more.add("@param arguments all " + names.size() + ", which are too many for a method");
      arguments = List.of("arguments");
      parameters = new ArrayList<>(List.of("java.util.List<?> arguments"));
      list = "%s";
    }
    return "\n"
        + Javadoc.of(doc.orElse("Calls " + Javadoc.code(entry.name()) + "."), more)
        + "  public %s %s(%s) {\n".formatted(result, method, String.join(", ", parameters))
        + "    return this.program\n        .entry(%s)\n        .callAll(%s)"
            .formatted(literal(entry.name()), list.formatted(String.join(", ", arguments)))
        + (result.equals(StubTypes.VALUE) ? ";\n" : "\n        .as(%s.class);\n".formatted(result))
        + "  }\n";
  }

  // The text of the program

  /**
   * Returns statements that put the files into a map, by names relative to the folder of the
   * program.
   */
  private String files() {
    var root = Path.of(source.root());
    var folder = root.toAbsolutePath().normalize().getParent();
    var out = new StringBuilder();
    new TreeMap<>(source.files())
        .forEach(
            (file, text) -> {
              var relative = folder.relativize(Path.of(file).toAbsolutePath().normalize());
              out.append("    files.put(\n        ")
                  .append(literal(relative.toString().replace('\\', '/')))
                  .append(",\n        java.lang.String.join(\n            \"\"");
              constants(text).forEach(c -> out.append(",\n            ").append(c));
              out.append("));\n");
            });
    return out.toString();
  }

  /** Returns expressions for the parts of a text, each of which Java makes one constant of. */
  private static List<String> constants(String text) {
    var constants = new ArrayList<String>();
    var lines = new ArrayList<String>();
    int first = 0;
    for (int at = 0; at < text.length(); ) {
      int line = text.indexOf('\n', at);
      int end = Math.min(line < 0 ? text.length() : line + 1, at + LONGEST_CONSTANT);
      if (end - first > LONGEST_CONSTANT) {
        constants.add(String.join("\n                + ", lines));
        lines.clear();
        first = at;
      }
      lines.add(literal(text.substring(at, end)));
      at = end;
    }
    if (!lines.isEmpty()) {
      constants.add(String.join("\n                + ", lines));
    }
    return constants;
  }

  private static String literal(String text) {
    var out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      switch (c) {
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        default -> {
          if (c >= ' ' && c < 127) {
            out.append(c);
          } else {
            out.append("\\u%04x".formatted((int) c));
          }
        }
      }
    }
    return out.append('"').toString();
  }
}
