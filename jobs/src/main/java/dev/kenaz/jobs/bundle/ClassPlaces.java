package dev.kenaz.jobs.bundle;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** These are the jars and folders of a class path, and which of them has a class. */
public final class ClassPlaces {
  private static final String SUFFIX = ".class";

  private final Map<String, Path> places = new HashMap<>();
  private final Map<Path, List<String>> others = new LinkedHashMap<>();

  /**
   * Reads the names of all files.
   *
   * @param path the jars and folders in their order; those that don't exist are ignored
   */
  public ClassPlaces(List<Path> path) throws IOException {
    for (var place : path) {
      if (Files.exists(place)) {
        var names = names(place);
        others.put(place, names.stream().filter(n -> !n.endsWith(SUFFIX)).toList());
        names.stream()
            .filter(n -> n.endsWith(SUFFIX))
            .map(n -> n.substring(0, n.length() - SUFFIX.length()))
            .forEach(n -> places.putIfAbsent(n, place));
      }
    }
  }

  /** Returns the jars and folders of this process. */
  public static ClassPlaces ofThisProcess() throws IOException {
    var path = System.getProperty("java.class.path").split(File.pathSeparator);
    return new ClassPlaces(Stream.of(path).map(Path::of).toList());
  }

  private static List<String> names(Path place) throws IOException {
    if (Files.isDirectory(place)) {
      try (var files = Files.walk(place)) {
        return files.map(f -> place.relativize(f).toString()).toList();
      }
    }
    try (var jar = new JarFile(place.toFile())) {
      return jar.stream().map(ZipEntry::getName).toList();
    }
  }

  /** Returns the jar or folder that has the class of that internal name. */
  public Optional<Path> place(String name) {
    return Optional.ofNullable(places.get(name));
  }

  /** Returns the first jar or folder with a file (no class) whose name begins so. */
  Optional<Path> withFile(String start) {
    return others.entrySet().stream()
        .filter(e -> e.getValue().stream().anyMatch(n -> n.startsWith(start)))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Returns the bytes of a class that has a place. */
  byte[] bytes(String name) {
    var place = places.get(name);
    try {
      if (Files.isDirectory(place)) {
        return Files.readAllBytes(place.resolve(name + SUFFIX));
      }
      try (var jar = new JarFile(place.toFile())) {
        return jar.getInputStream(jar.getEntry(name + SUFFIX)).readAllBytes();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
