package dev.kenaz.jobs.bundle;

import static dev.kenaz.error.ErrorCode.K7611;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.GpuNode;
import dev.kenaz.jobs.OwnProcess;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/**
 * Finds the classes of a bundle, and the modules of the Java runtime that they need. They are
 * computed from what the bundle's command reaches, so that nothing that it reaches can be absent.
 */
public final class BundleClasses {
  /** The class at which the walk begins. */
  static final String MAIN = GpuNode.class.getName();

  /** Modules that are loaded by names that only exist at run time, or by the launcher. */
  private static final List<String> HIDDEN_MODULES =
      List.of("jdk.incubator.vector", "jdk.unsupported");

  /** The resources that a bundle has as files. */
  private static final String FILES = "dev/kenaz/jobs/bundle/programs/";

  /** The only one of JCuda's native libraries that is needed: the binding of the driver. */
  private static final String NATIVES = "lib/libJCudaDriver";

  /**
   * A module that is too large for its use there: only {@code Media} needs it, and is not called
   * without it.
   */
  private static final String DESKTOP = "java.desktop";

  private final ClassPlaces places;
  private final ClassWalk walk;

  private BundleClasses(ClassPlaces places, ClassWalk walk) {
    this.places = places;
    this.walk = walk;
  }

  /**
   * Finds all that is needed.
   *
   * @throws UserError (K7611) if something can't be found
   */
  public static BundleClasses find() throws IOException {
    var places = ClassPlaces.ofThisProcess();
    var walk = ClassWalk.from(List.of(MAIN), places, ClassWalk.allModules());
    if (!walk.missing().isEmpty()) {
      var some = new ArrayList<String>();
      walk.missing().forEach((name, by) -> some.add(name + " (named by " + by + ")"));
      throw new UserError(K7611, "the class path lacks " + String.join(", ", some));
    }
    return new BundleClasses(places, walk);
  }

  /** Returns the modules of which a Java runtime is linked. */
  public SortedSet<String> modules() {
    var all = new TreeSet<>(walk.modules());
    all.addAll(HIDDEN_MODULES);
    all.remove(DESKTOP);
    return all;
  }

  /** Writes one jar of all jars and folders that have a class that is needed. */
  public void write(Path target) throws IOException {
    var manifest = new Manifest();
    var attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.MAIN_CLASS, MAIN);
    attributes.put(Attributes.Name.IMPLEMENTATION_VERSION, OwnProcess.version());
    var seen = new HashSet<>(Set.of(JarFile.MANIFEST_NAME));
    try (var out = new JarOutputStream(new BufferedOutputStream(Files.newOutputStream(target)))) {
      out.setLevel(0); // The archive around it compresses better.
      out.putNextEntry(new ZipEntry(JarFile.MANIFEST_NAME));
      manifest.write(out);
      out.closeEntry();
      for (var place : all()) {
        if (Files.isDirectory(place)) {
          addFolder(place, out, seen);
        } else {
          addJar(place, out, seen);
        }
      }
    }
  }

  private List<Path> all() {
    var all = new ArrayList<>(walk.places());
    all.add(
        places
            .withFile(NATIVES)
            .orElseThrow(() -> new UserError(K7611, "the class path lacks " + NATIVES)));
    all.sort(Comparator.naturalOrder());
    return all;
  }

  private static boolean wanted(String name) {
    boolean ofJar = name.startsWith("META-INF/") || name.endsWith("module-info.class");
    return !ofJar
        && !name.startsWith(FILES)
        && (!name.startsWith("lib/lib") || name.startsWith(NATIVES));
  }

  private static void addJar(Path jar, JarOutputStream out, Set<String> seen) throws IOException {
    try (var in = new JarFile(jar.toFile())) {
      for (var entry : in.stream().filter(e -> !e.isDirectory() && wanted(e.getName())).toList()) {
        if (seen.add(entry.getName())) {
          out.putNextEntry(new ZipEntry(entry.getName()));
          in.getInputStream(entry).transferTo(out);
          out.closeEntry();
        }
      }
    }
  }

  private static void addFolder(Path folder, JarOutputStream out, Set<String> seen)
      throws IOException {
    try (var files = Files.walk(folder)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var name = folder.relativize(file).toString();
        if (wanted(name) && seen.add(name)) {
          out.putNextEntry(new ZipEntry(name));
          Files.copy(file, out);
          out.closeEntry();
        }
      }
    }
  }
}
