package dev.kenaz.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Span;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Comparing surface trees without their spans. */
final class Trees {
  private Trees() {}

  /** Fails, showing both as text, unless the trees are the same but for spans. */
  static void assertSame(Object expected, Object actual) {
    if (!same(expected, actual)) {
      assertEquals(show(expected), show(actual));
    }
    assertTrue(same(expected, actual), () -> "printed alike but differ: " + show(expected));
  }

  static boolean same(Object a, Object b) {
    if (a instanceof List<?> as && b instanceof List<?> bs) {
      if (as.size() != bs.size()) {
        return false;
      }
      for (int i = 0; i < as.size(); i++) {
        if (!same(as.get(i), bs.get(i))) {
          return false;
        }
      }
      return true;
    }
    if (a instanceof Optional<?> ao && b instanceof Optional<?> bo) {
      return ao.isPresent() == bo.isPresent() && (ao.isEmpty() || same(ao.get(), bo.get()));
    }
    if (a instanceof Span && b instanceof Span) {
      return true;
    }
    return a instanceof Record && a.getClass() == b.getClass() ? sameRecord(a, b) : a.equals(b);
  }

  private static boolean sameRecord(Object a, Object b) {
    for (RecordComponent component : a.getClass().getRecordComponents()) {
      if (!same(component(a, component), component(b, component))) {
        return false;
      }
    }
    return true;
  }

  /** The trees of a type that a tree contains. */
  static <T> Stream<T> parts(Class<T> type, Object tree) {
    return children(tree)
        .flatMap(
            c ->
                Stream.concat(
                    type.isInstance(c) ? Stream.of(type.cast(c)) : Stream.of(), parts(type, c)));
  }

  private static Stream<?> children(Object tree) {
    return switch (tree) {
      case List<?> list -> list.stream();
      case Optional<?> optional -> optional.stream();
      case Record record ->
          Stream.of(record.getClass().getRecordComponents()).map(c -> component(record, c));
      default -> Stream.of();
    };
  }

  private static Object component(Object record, RecordComponent component) {
    try {
      var accessor = component.getAccessor();
      accessor.setAccessible(true);
      return accessor.invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** All of the tree, without spans. */
  static String show(Object tree) {
    return switch (tree) {
      case List<?> list -> list.stream().map(Trees::show).toList().toString();
      case Optional<?> optional -> optional.map(Trees::show).orElse("none");
      case Record record -> {
        var out = new StringBuilder(record.getClass().getSimpleName()).append('(');
        for (RecordComponent component : record.getClass().getRecordComponents()) {
          var value = component(record, component);
          if (!(value instanceof Span)) {
            out.append(component.getName()).append('=').append(show(value)).append(' ');
          }
        }
        yield out.append(')').toString();
      }
      default -> tree.toString();
    };
  }
}
