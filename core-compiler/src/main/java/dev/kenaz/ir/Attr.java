package dev.kenaz.ir;

import java.util.List;

/** An attribute: {@code name} or {@code name(arguments)}; arguments are attributes or numbers. */
public record Attr(String name, List<Attr> arguments) {
  /** This attribute marks a read whose bounds the program's author has asked not to be checked. */
  public static final Attr UNSAFE = of("unsafe");

  public Attr {
    arguments = List.copyOf(arguments);
  }

  public static Attr of(String name) {
    return new Attr(name, List.of());
  }

  @Override
  public String toString() {
    if (arguments.isEmpty()) {
      return name;
    }
    return name + "(" + String.join(", ", arguments.stream().map(Attr::toString).toList()) + ")";
  }
}
