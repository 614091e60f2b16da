package dev.kenaz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs in Java can see of this module. */
final class ModuleTest {
  private static final Set<String> EXPORTED =
      Set.of("dev.kenaz", "dev.kenaz.error", "dev.kenaz.options");
  private static final Path CLASSES = Path.of("target/classes");

  /** Libraries of the module, by their folders in the local repository. */
  private static final String LIBRARIES =
      Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
          .filter(p -> p.matches(".*/(slf4j-api|jcuda|jcuda-natives)-[^/]*\\.jar"))
          .collect(Collectors.joining(File.pathSeparator));

  /** Engines of Kenaz itself, which are on the class path, see hidden packages too. */
  private static final Set<String> OF_ENGINES = Set.of("CoreArguments");

  /** A signature of the API names nothing that is hidden. */
  @Test
  void signaturesMentionWhatIsExported() throws IOException, ClassNotFoundException {
    var leaks = new TreeSet<String>();
    for (var name : EXPORTED) {
      try (var files = Files.list(CLASSES.resolve(name.replace('.', '/')))) {
        for (var f : files.filter(p -> p.toString().endsWith(".class")).toList()) {
          var file = f.getFileName().toString().replaceFirst("\\.class$", "");
          if (!file.equals("package-info") && !OF_ENGINES.contains(file)) {
            leaks(Class.forName(name + "." + file), leaks);
          }
        }
      }
    }
    assertEquals(Set.of(), leaks);
  }

  private static void leaks(Class<?> type, Set<String> leaks) {
    if (!visible(type)) {
      return;
    }
    var mentioned = new ArrayList<Type>(List.of(type.getGenericInterfaces()));
    if (type.getGenericSuperclass() != null) {
      mentioned.add(type.getGenericSuperclass());
    }
    for (var m : type.getDeclaredMethods()) {
      if (seen(m.getModifiers()) && !m.isSynthetic()) {
        mentioned.add(m.getGenericReturnType());
        mentioned.addAll(List.of(m.getGenericParameterTypes()));
        mentioned.addAll(List.of(m.getGenericExceptionTypes()));
      }
    }
    for (var c : type.getDeclaredConstructors()) {
      if (seen(c.getModifiers())) {
        mentioned.addAll(List.of(c.getGenericParameterTypes()));
      }
    }
    for (var f : type.getDeclaredFields()) {
      if (seen(f.getModifiers())) {
        mentioned.add(f.getGenericType());
      }
    }
    mentioned.forEach(t -> leaks(type, t, leaks));
  }

  private static boolean visible(Class<?> type) {
    return seen(type.getModifiers())
        && (type.getEnclosingClass() == null || visible(type.getEnclosingClass()));
  }

  private static boolean seen(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static void leaks(Class<?> in, Type type, Set<String> leaks) {
    switch (type) {
      case Class<?> c when c.isArray() -> leaks(in, c.getComponentType(), leaks);
      case Class<?> c -> {
        boolean known =
            c.isPrimitive()
                || c.getName().startsWith("java.")
                || EXPORTED.contains(c.getPackageName());
        if (!known) {
          leaks.add(in.getName() + " mentions " + c.getName());
        }
      }
      case ParameterizedType p -> {
        leaks(in, p.getRawType(), leaks);
        Arrays.stream(p.getActualTypeArguments()).forEach(t -> leaks(in, t, leaks));
      }
      case GenericArrayType a -> leaks(in, a.getGenericComponentType(), leaks);
      case WildcardType w -> Arrays.stream(w.getUpperBounds()).forEach(t -> leaks(in, t, leaks));
      case TypeVariable<?> _ -> {}
      default -> throw new AssertionError(type);
    }
  }

  /** A module of somebody else's compiles programs, and sees nothing else. */
  @Test
  void moduleIsUsedByAnother(@TempDir Path folder) throws Exception {
    var made = Files.createDirectories(folder.resolve("made"));
    var module = module(made);
    var descriptor = ModuleDescriptor.read(Files.newInputStream(made.resolve("module-info.class")));
    assertEquals(
        EXPORTED,
        descriptor.exports().stream()
            .filter(e -> !e.isQualified())
            .map(ModuleDescriptor.Exports::source)
            .collect(Collectors.toSet()));

    var path = module + File.pathSeparator + LIBRARIES;
    var sources = Files.createDirectories(folder.resolve("app/some"));
    var info =
        Files.writeString(
            folder.resolve("app/module-info.java"),
            "module app { requires dev.kenaz; opens some to dev.kenaz; }");
    var main =
        Files.writeString(
            sources.resolve("Main.java"),
            """
            package some;

            import dev.kenaz.Kenaz;

            public final class Main {
              record Point(double x, double y) {}

              public static void main(String[] args) {
                var text = "entry f (p: {x: f64, y: f64}): f64 = p.x * p.y";
                try (var program = Kenaz.compile(text)) {
                  var point = new Point(2, 3);
                  System.out.println(
                      program.entry("f").call(point).asDouble()
                          + " "
                          + program.entry("f").gradient().call(point).as(Point.class));
                }
              }
            }
            """);
    var classes = folder.resolve("classes");
    assertEquals("", javac("-d", classes, "--module-path", path, info, main));
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var process =
        new ProcessBuilder(
                java,
                "--module-path",
                path + File.pathSeparator + classes,
                "--enable-native-access=dev.kenaz",
                "--sun-misc-unsafe-memory-access=allow",
                "--module",
                "app/some.Main")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals("6.0 Point[x=3.0, y=2.0]\n", said);
    assertEquals(0, process.waitFor());

    Files.writeString(main, "package some; class Main { dev.kenaz.ir.CoreProgram p; }");
    var refused = javac("-d", classes, "--module-path", path, info, main);
    assertTrue(refused.contains("package dev.kenaz.ir is not visible"), refused);
  }

  /** The module as the build makes it. */
  private static Path module(Path folder) throws IOException {
    var info = Path.of("src/main/module/module-info.java");
    assertEquals(
        "",
        javac(
            "-d",
            folder,
            "--module-path",
            LIBRARIES,
            "--patch-module",
            "dev.kenaz=" + CLASSES,
            info));
    var jar = folder.resolve("dev.kenaz.jar");
    var tool = ToolProvider.findFirst("jar").orElseThrow();
    var said = new StringWriter();
    var out = new PrintWriter(said);
    String[] args = {
      "--create",
      "--no-compress",
      "--file",
      jar.toString(),
      "-C",
      CLASSES.toString(),
      ".",
      "-C",
      folder.toString(),
      "module-info.class"
    };
    assertEquals(0, tool.run(out, out, args), said::toString);
    return jar;
  }

  /** What the compiler says, but for its warning of incubation. */
  private static String javac(Object... args) {
    var said = new StringWriter();
    var out = new PrintWriter(said);
    var tool = ToolProvider.findFirst("javac").orElseThrow();
    tool.run(out, out, Arrays.stream(args).map(Object::toString).toArray(String[]::new));
    return said.toString()
        .lines()
        .filter(l -> !l.contains("incubat") && !l.endsWith(" warning"))
        .collect(Collectors.joining("\n"));
  }
}
