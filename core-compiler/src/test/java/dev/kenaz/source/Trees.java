package dev.kenaz.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Span;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Optional;

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
      try {
        var accessor = component.getAccessor();
        accessor.setAccessible(true);
        if (!same(accessor.invoke(a), accessor.invoke(b))) {
          return false;
        }
      } catch (ReflectiveOperationException e) {
        throw new AssertionError(e);
      }
    }
    return true;
  }

  /** All of the tree, without spans. */
  static String show(Object tree) {
    return switch (tree) {
      case List<?> list -> list.stream().map(Trees::show).toList().toString();
      case Optional<?> optional -> optional.map(Trees::show).orElse("none");
      case Record record -> {
        var out = new StringBuilder(record.getClass().getSimpleName()).append('(');
        for (RecordComponent component : record.getClass().getRecordComponents()) {
          try {
            var accessor = component.getAccessor();
            accessor.setAccessible(true);
            var value = accessor.invoke(record);
            if (!(value instanceof Span)) {
              out.append(component.getName()).append('=').append(show(value)).append(' ');
            }
          } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
          }
        }
        yield out.append(')').toString();
      }
      default -> tree.toString();
    };
  }
}
