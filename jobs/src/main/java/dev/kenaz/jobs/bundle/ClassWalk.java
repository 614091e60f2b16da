package dev.kenaz.jobs.bundle;

import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Finds all classes that can be reached from some classes: those that class files name in
 * instructions, descriptors, annotations, and in strings that are names of classes of Kenaz. A
 * class that is loaded by a name that only exists at run time is not found.
 */
public final class ClassWalk {
  private static final Pattern IN_DESCRIPTOR = Pattern.compile("L([\\w$]+(?:/[\\w$]+)+);");
  private static final Pattern DESCRIPTOR =
      Pattern.compile("(\\((\\[*([BCDFIJSZ]|L[\\w$/]+;))*\\))?\\[*([BCDFIJSVZ]|L[\\w$/]+;)");
  private static final Pattern OURS = Pattern.compile("dev[./]kenaz[./][\\w$./]+");

  private final ClassPlaces places;
  private final Set<String> modules;
  private final Map<String, String> modulesOfPackages = new HashMap<>();
  private final Set<Path> used = new LinkedHashSet<>();
  private final SortedSet<String> usedModules = new TreeSet<>();
  private final SortedSet<String> classes = new TreeSet<>();
  private final Map<String, String> missing = new TreeMap<>();

  private ClassWalk(ClassPlaces places, Collection<String> modules) {
    this.places = places;
    this.modules = Set.copyOf(modules);
    for (var module : ModuleFinder.ofSystem().findAll()) {
      var name = module.descriptor().name();
      module.descriptor().packages().forEach(p -> modulesOfPackages.put(p, name));
    }
  }

  /**
   * Walks.
   *
   * @param roots the names of classes to begin with
   * @param places the class path
   * @param modules the modules of the Java runtime that may be used
   */
  public static ClassWalk from(List<String> roots, ClassPlaces places, Collection<String> modules) {
    var walk = new ClassWalk(places, modules);
    walk.run(roots.stream().map(r -> r.replace('.', '/')).toList());
    return walk;
  }

  /** Returns the names of all modules of the Java runtime of this process. */
  public static List<String> allModules() {
    return ModuleFinder.ofSystem().findAll().stream().map(m -> m.descriptor().name()).toList();
  }

  /** Returns the jars and folders of the classes that were reached. */
  public Set<Path> places() {
    return Set.copyOf(used);
  }

  /** Returns the modules of the Java runtime that are named directly. */
  public SortedSet<String> modules() {
    return new TreeSet<>(usedModules);
  }

  /** The internal names of the classes of the class path that were reached. */
  public SortedSet<String> classes() {
    return new TreeSet<>(classes);
  }

  /** Returns what could not be found, each with a class that names it. */
  public Map<String, String> missing() {
    return new TreeMap<>(missing);
  }

  private void run(List<String> roots) {
    var work = new ArrayDeque<String>();
    roots.forEach(r -> reach(r, "the command", work));
    while (!work.isEmpty()) {
      var name = work.remove();
      named(name).forEach(n -> reach(n, name, work));
    }
  }

  private void reach(String name, String from, ArrayDeque<String> work) {
    if (places.place(name).isPresent()) {
      if (classes.add(name)) {
        used.add(places.place(name).get());
        work.add(name);
      }
      return;
    }
    var last = name.lastIndexOf('/');
    var module = modulesOfPackages.get(name.substring(0, Math.max(0, last)).replace('/', '.'));
    if (module != null && modules.contains(module)) {
      usedModules.add(module);
    } else {
      missing.putIfAbsent(name, from);
    }
  }

  /** Returns the internal names of the classes that a class names. */
  private Set<String> named(String name) {
    var found = new HashSet<String>();
    for (var entry : ClassFile.of().parse(places.bytes(name)).constantPool()) {
      switch (entry) {
        case ClassEntry c -> add(c.asInternalName(), found);
        case Utf8Entry u -> text(u.stringValue(), found);
        default -> {}
      }
    }
    return found;
  }

  /** Adds a name. The class of an array is named by its descriptor. */
  private void add(String name, Set<String> found) {
    if (name.startsWith("[")) {
      text(name, found);
    } else {
      found.add(name);
    }
  }

  private void text(String text, Set<String> found) {
    if (DESCRIPTOR.matcher(text).matches()) {
      IN_DESCRIPTOR.matcher(text).results().forEach(r -> found.add(r.group(1)));
    } else if (OURS.matcher(text).matches()) {
      var name = text.replace('.', '/');
      places.place(name).ifPresent(_ -> found.add(name));
    }
  }
}
