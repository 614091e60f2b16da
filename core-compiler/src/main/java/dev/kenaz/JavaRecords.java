package dev.kenaz;

import static dev.kenaz.error.ErrorCode.K6304;

import dev.kenaz.bind.JavaNames;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.ir.EntryPoint.RecordType;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes Java records of a class from their components, and takes them apart.
 *
 * @param types of the components
 * @param known the positions that were found for types of programs
 */
record JavaRecords(
    Class<?> type,
    List<String> names,
    List<Class<?>> types,
    List<MethodHandle> accessors,
    Constructor<?> constructor,
    Map<RecordType, Optional<List<Integer>>> known) {
  private static final ClassValue<JavaRecords> ALL =
      new ClassValue<>() {
        @Override
        protected JavaRecords computeValue(Class<?> type) {
          return read(type);
        }
      };

  /**
   * Describes a record class.
   *
   * @throws UserError K6304 if it isn't accessible from here
   */
  static JavaRecords of(Class<?> type) {
    return ALL.get(type);
  }

  private static JavaRecords read(Class<?> type) {
    var components = type.getRecordComponents();
    try {
      var lookup = MethodHandles.lookup();
      var accessors = new ArrayList<MethodHandle>();
      for (var c : components) {
        c.getAccessor().setAccessible(true);
        accessors.add(lookup.unreflect(c.getAccessor()));
      }
      var types = Arrays.stream(components).<Class<?>>map(RecordComponent::getType).toList();
      var constructor = type.getDeclaredConstructor(types.toArray(Class[]::new));
      constructor.setAccessible(true);
      return new JavaRecords(
          type,
          Arrays.stream(components).map(RecordComponent::getName).toList(),
          types,
          accessors,
          constructor,
          new ConcurrentHashMap<>());
    } catch (InaccessibleObjectException | ReflectiveOperationException e) {
      var opens = "opens " + type.getPackageName() + " to dev.kenaz;";
      throw new UserError(
          K6304,
          Span.NONE,
          "the record class " + type.getName() + " is not accessible",
          "write `" + opens + "` into the module-info.java of its module");
    }
  }

  /**
   * Returns for each field of the type the position of its component. Components of a tuple are
   * taken in order, those of a record by name. Returns nothing if the class has other components.
   */
  Optional<List<Integer>> positions(RecordType record) {
    return known.computeIfAbsent(record, this::find);
  }

  private Optional<List<Integer>> find(RecordType record) {
    if (record.fields().size() != names.size()) {
      return Optional.empty();
    }
    boolean tuple = JavaNames.isTuple(record);
    var components = JavaNames.components(record);
    var positions = new ArrayList<Integer>();
    for (int i = 0; i < components.size(); i++) {
      positions.add(tuple ? i : names.indexOf(components.get(i)));
    }
    return positions.contains(-1) ? Optional.empty() : Optional.of(positions);
  }

  /** Returns a component of a Java record. */
  Object get(Object record, int i) {
    try {
      return accessors.get(i).invoke(record);
    } catch (Throwable e) {
      throw unchecked(e, "the accessor " + names.get(i));
    }
  }

  /**
   * Makes a Java record from its components.
   *
   * @throws RuntimeException what the record's own constructor throws
   */
  Object create(Object... components) {
    try {
      return constructor.newInstance(components);
    } catch (InvocationTargetException e) {
      throw unchecked(e.getCause(), "the constructor of " + type.getName());
    } catch (ReflectiveOperationException e) {
      throw unchecked(e, "the constructor of " + type.getName());
    }
  }

  private static RuntimeException unchecked(Throwable e, String what) {
    return switch (e) {
      case RuntimeException x -> x;
      case Error x -> throw x;
      default -> new IllegalStateException(what + " failed", e);
    };
  }

  /** Describes, for messages, the record class that a type asks for. */
  static String wanted(RecordType type) {
    var parts = new ArrayList<String>();
    var components = JavaNames.components(type);
    for (var f : type.fields()) {
      parts.add(JavaTypes.text(f.type()) + " " + components.get(parts.size()));
    }
    return "a record (" + String.join(", ", parts) + ")";
  }
}
