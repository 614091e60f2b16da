package dev.kenaz.cluster;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A repository with modules of this build, as {@code mvn install} makes it.
 *
 * @param folder the repository
 */
record InstalledModules(Path folder) {
  static final String VERSION = System.getProperty("kenaz.version");
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

  /** Where the build's own libraries are: all that there is to fetch from. */
  static URI fetched() {
    var home = Path.of(System.getProperty("user.home"), ".m2/repository").toString();
    return Path.of(System.getProperty("maven.repo.local", home)).toUri();
  }

  /** Installs everything that an application on Spark takes. */
  void all() throws IOException {
    pom("kenaz", PROJECT.resolve("pom.xml"));
    for (var name : List.of("core-compiler", "arrow-io", "configs", "spark-connector", "jobs")) {
      module(name, "");
    }
  }

  /** Installs a module with those of its jars whose names have these endings. */
  void module(String artifact, String... endings) throws IOException {
    var place = pom(artifact, PROJECT.resolve(artifact + "/pom.xml"));
    for (var ending : endings) {
      var jar = artifact + "-" + VERSION + ending + ".jar";
      Files.copy(PROJECT.resolve(artifact + "/target").resolve(jar), place.resolve(jar));
    }
  }

  /** Installs what Maven knows of a module, and returns the folder. */
  Path pom(String artifact, Path pom) throws IOException {
    var place = Files.createDirectories(folder.resolve("dev/kenaz/" + artifact + "/" + VERSION));
    Files.copy(pom, place.resolve(artifact + "-" + VERSION + ".pom"));
    return place;
  }

  /**
   * Returns options of spark-submit by which it takes the modules from here, and what they need
   * from what the build fetched.
   */
  List<String> packages() throws IOException {
    var settings =
        """
        <ivysettings>
          <settings defaultResolver="all"/>
          <resolvers><chain name="all">
            <ibiblio name="installed" m2compatible="true" root="%s"/>
            <ibiblio name="fetched" m2compatible="true" root="%s"/>
          </chain></resolvers>
        </ivysettings>
        """
            .formatted(folder.toUri(), fetched());
    return List.of(
        "--packages",
        "dev.kenaz:jobs:" + VERSION,
        "--conf",
        "spark.jars.ivySettings=" + Files.writeString(folder.resolve("ivy.xml"), settings),
        "--conf",
        "spark.jars.ivy=" + resolved());
  }

  /** Returns the folder in which spark-submit then keeps what it resolved. */
  Path resolved() {
    return folder.resolve("ivy");
  }
}
