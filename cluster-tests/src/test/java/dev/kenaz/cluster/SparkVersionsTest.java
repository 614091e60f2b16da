package dev.kenaz.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every class, method and field of Spark and Arrow that the job jar names is in the oldest Spark
 * that is supported, whose jars the build has put aside. Plugins of Spark Connect are left out, as
 * that version of it can't be fetched.
 */
final class SparkVersionsTest {
  private static final Path JARS = Path.of("target/spark-4.1");
  private static final Path JOB =
      Path.of("../jobs/target/jobs-" + System.getProperty("kenaz.version") + "-job.jar");

  /**
   * What a class has itself.
   *
   * @param above its superclass and interfaces
   * @param members names and descriptors of its methods and fields
   */
  private record Known(List<String> above, Set<String> members) {}

  private final Map<String, Known> known = new HashMap<>();

  private static boolean theirs(String name) {
    return name.startsWith("org/apache/spark/") || name.startsWith("org/apache/arrow/");
  }

  private static List<ClassModel> classes(Path jar, String prefix) throws IOException {
    var all = new ArrayList<ClassModel>();
    try (var file = new JarFile(jar.toFile())) {
      for (var entry : file.stream().toList()) {
        if (entry.getName().startsWith(prefix) && entry.getName().endsWith(".class")) {
          all.add(ClassFile.of().parse(file.getInputStream(entry).readAllBytes()));
        }
      }
    }
    return all;
  }

  private void learn(ClassModel model) {
    var members = new HashSet<String>();
    model.methods().forEach(m -> members.add(m.methodName() + " " + m.methodType()));
    model.fields().forEach(f -> members.add(f.fieldName() + " " + f.fieldType()));
    var above = Stream.concat(model.superclass().stream(), model.interfaces().stream());
    var names = above.map(ClassEntry::asInternalName).toList();
    known.put(model.thisClass().asInternalName(), new Known(names, members));
  }

  /** Whether a class has a member, itself or from above. */
  private boolean has(String owner, String name, String descriptor) {
    var here = known.get(owner);
    if (here == null) {
      return !theirs(owner) && inherited(owner, name);
    }
    return here.members().contains(name + " " + descriptor)
        || here.above().stream().anyMatch(a -> has(a, name, descriptor));
  }

  /** Whether a class of Java or Scala, which all versions have, has a member of this name. */
  private static boolean inherited(String owner, String name) {
    try {
      var type =
          Class.forName(owner.replace('/', '.'), false, SparkVersionsTest.class.getClassLoader());
      return Stream.concat(
              Arrays.stream(type.getDeclaredMethods()).map(m -> m.getName()),
              Arrays.stream(type.getMethods()).map(m -> m.getName()))
          .anyMatch(name::equals);
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  @Test
  void theOldestSparkHasAllThatIsNamed() throws IOException {
    try (var jars = Files.list(JARS)) {
      for (var jar : jars.toList()) {
        classes(jar, "org/apache/").forEach(this::learn);
      }
    }
    var missing = new TreeSet<String>();
    int references = 0;
    for (var model : classes(JOB, "dev/kenaz/")) {
      var user = model.thisClass().asInternalName();
      if (user.startsWith("dev/kenaz/connect/")) {
        continue;
      }
      for (var entry : model.constantPool()) {
        if (entry instanceof MemberRefEntry r && theirs(r.owner().asInternalName())) {
          references++;
          var owner = r.owner().asInternalName();
          var name = r.name().stringValue();
          if (!has(owner, name, r.type().stringValue())) {
            missing.add(owner + "." + name + r.type().stringValue() + " in " + user);
          }
        } else if (entry instanceof ClassEntry c && theirs(c.asInternalName())) {
          references++;
          if (!known.containsKey(c.asInternalName())) {
            missing.add(c.asInternalName() + " in " + user);
          }
        }
      }
    }
    assertEquals(Set.of(), missing);
    assertTrue(references > 1000, "few references: " + references);
  }
}
