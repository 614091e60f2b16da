package dev.kenaz.ir;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The hash of a program: of all that it consists of, places in the source included, but not of the
 * tags of its variables, which are other numbers each time the same text is compiled. Two programs
 * have the same fingerprint only if they differ in nothing else, so code made for one is code for
 * the other.
 *
 * <p>The program is written out, each record as its class and its components, and what is written
 * is hashed with SHA-256. A variable is written in full where it is first met, and as a number
 * after that. So a new kind of expression or a new component changes fingerprints by itself.
 */
public final class Fingerprint {
  private static final ClassValue<Method[]> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected Method[] computeValue(Class<?> type) {
          var all =
              Arrays.stream(type.getRecordComponents())
                  .map(RecordComponent::getAccessor)
                  .toArray(Method[]::new);
          Arrays.stream(all).forEach(m -> m.setAccessible(true));
          return all;
        }
      };

  private final DataOutputStream out;
  private final Map<Class<?>, Integer> classes = new HashMap<>();
  private final Map<Integer, Integer> tags = new HashMap<>();

  private Fingerprint(DataOutputStream out) {
    this.out = out;
  }

  /**
   * Returns the fingerprint in hexadecimal.
   *
   * @throws IllegalArgumentException if there is something in the program of which it isn't known
   *     what it consists of
   */
  public static String of(CoreProgram program) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      var hashed = new DigestOutputStream(OutputStream.nullOutputStream(), digest);
      try (var out = new DataOutputStream(new BufferedOutputStream(hashed))) {
        new Fingerprint(out).write(program);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Nothing is written anywhere.
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every Java has SHA-256.
    }
  }

  private void write(Object part) throws IOException {
    switch (part) {
      case Var v -> variable(v);
      case Type.Acc a -> accumulator(a);
      case Record r -> {
        type(r.getClass());
        for (var component : COMPONENTS.get(r.getClass())) {
          write(value(component, r));
        }
      }
      case List<?> all -> {
        type(List.class);
        out.writeInt(all.size());
        for (var one : all) {
          write(one);
        }
      }
      case Optional<?> maybe -> {
        type(Optional.class);
        out.writeBoolean(maybe.isPresent());
        if (maybe.isPresent()) {
          write(maybe.get());
        }
      }
      default -> simple(part);
    }
  }

  private void simple(Object part) throws IOException {
    switch (part) {
      case Enum<?> e -> {
        type(e.getDeclaringClass());
        text(e.name());
      }
      case String s -> {
        type(String.class);
        text(s);
      }
      case Integer n -> {
        type(Integer.class);
        out.writeInt(n);
      }
      case Long n -> {
        type(Long.class);
        out.writeLong(n);
      }
      case Boolean b -> {
        type(Boolean.class);
        out.writeBoolean(b);
      }
      default -> throw new IllegalArgumentException("what is in " + part.getClass() + "?");
    }
  }

  private void variable(Var v) throws IOException {
    type(Var.class);
    if (met(v.tag())) {
      text(v.name());
      write(v.type());
    }
  }

  /** An accumulator's token comes from where tags come from. */
  private void accumulator(Type.Acc a) throws IOException {
    type(Type.Acc.class);
    met(a.token());
    write(a.space());
    write(a.elems());
  }

  /** Writes which of all tags it is. Returns whether it is a new one. */
  private boolean met(int tag) throws IOException {
    int before = tags.size();
    out.writeInt(tags.computeIfAbsent(tag, _ -> before));
    return tags.size() > before;
  }

  /** Writes a class's name where it is first met, and a number after that. */
  private void type(Class<?> type) throws IOException {
    int before = classes.size();
    out.writeInt(classes.computeIfAbsent(type, _ -> before));
    if (classes.size() > before) {
      text(type.getName());
    }
  }

  private void text(String text) throws IOException {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static Object value(Method component, Record of) {
    try {
      return component.invoke(of);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(component + " can't be read", e);
    }
  }
}
