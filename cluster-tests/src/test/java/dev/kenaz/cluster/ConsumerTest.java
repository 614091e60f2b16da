package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another project uses the compiler from a repository that it was installed into. */
final class ConsumerTest {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final String VERSION = System.getProperty("kenaz.version");
  private static final Path JAVA = Path.of(System.getProperty("java.home"));

  @TempDir Path folder;

  private String run(Path place, List<String> command) throws Exception {
    var said = folder.resolve("said");
    var builder = new ProcessBuilder(command).directory(place.toFile());
    builder.environment().put("JAVA_HOME", JAVA.toString());
    var process = builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
    assertTrue(process.waitFor(5, TimeUnit.MINUTES), "it doesn't end: " + command);
    assertEquals(0, process.exitValue(), Files.readString(said));
    return Files.readString(said);
  }

  /** What the build itself fetched is all that there is to fetch from. */
  private void maven(Path place, String... arguments) throws Exception {
    var settings =
        Files.writeString(
            folder.resolve("settings.xml"),
            """
            <settings>
              <mirrors><mirror><id>fetched</id><mirrorOf>*</mirrorOf><url>%s</url></mirror></mirrors>
            </settings>
            """
                .formatted(InstalledModules.fetched()));
    var command = new ArrayList<>(List.of("mvn", "-B", "-q", "-s", settings.toString()));
    command.add("-Dmaven.repo.local=" + folder.resolve("installed"));
    command.addAll(List.of(arguments));
    run(place, command);
  }

  @Test
  void anInstalledCompilerIsUsedByAnotherProject() throws Exception {
    var installed = new InstalledModules(folder.resolve("installed"));
    installed.pom("kenaz", PROJECT.resolve("pom.xml"));
    installed.module("core-compiler", "", "-sources", "-javadoc");
    var app = folder.resolve("app");
    copy(Path.of("target/test-classes/consumer"), app);
    maven(app, "compile", "dependency:build-classpath", "-Dmdep.outputFile=class-path");
    var path = "target/classes" + File.pathSeparator + Files.readString(app.resolve("class-path"));
    var java = JAVA.resolve("bin/java").toString();
    var options = List.of("--add-modules=jdk.incubator.vector", "-cp", path.strip(), "app.Main");
    var command = new ArrayList<>(List.of(java));
    command.addAll(options);
    assertTrue(run(app, command).lines().anyMatch("7.0"::equals));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (var file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  @Test
  void eachModuleHasSourcesDocumentationAndItsLicense() throws IOException {
    for (var module : List.of("core-compiler", "arrow-io", "spark-connector", "jobs")) {
      var start = PROJECT.resolve(module + "/target/" + module + "-" + VERSION).toString();
      try (var jar = new JarFile(start + ".jar");
          var sources = new JarFile(start + "-sources.jar");
          var documentation = new JarFile(start + "-javadoc.jar")) {
        assertTrue(jar.getEntry("META-INF/LICENSE") != null, module);
        assertTrue(jar.getEntry("META-INF/NOTICE") != null, module);
        assertTrue(sources.stream().anyMatch(e -> e.getName().endsWith("/package-info.java")));
        assertTrue(documentation.getEntry("index.html") != null, module);
      }
    }
  }

  /** Each library in the job jar is named in the notices, which are in it with the license. */
  @Test
  void theJobJarNamesWhatIsOthers() throws IOException {
    var named =
        List.of(
            "dev/kenaz/",
            "picocli/",
            "jcuda/",
            "com/networknt/",
            "com/ethlo/time/",
            "com/fasterxml/jackson/datatype/jdk8/",
            "org/knowm/xchart/");
    try (var jar = new JarFile(PROJECT + "/jobs/target/jobs-" + VERSION + "-job.jar")) {
      var license = jar.getInputStream(jar.getEntry("META-INF/LICENSE")).readAllBytes();
      assertEquals(Files.readString(PROJECT.resolve("LICENSE")), new String(license));
      assertTrue(jar.getEntry("META-INF/NOTICE") != null);
      assertTrue(jar.getEntry("META-INF/THIRD-PARTY-NOTICES.txt") != null);
      var others =
          jar.stream()
              .map(e -> e.getName().replaceFirst("^META-INF/versions/\\d+/", ""))
              .filter(n -> n.endsWith(".class") && named.stream().noneMatch(n::startsWith))
              .toList();
      assertEquals(List.of(), others);
    }
  }
}
