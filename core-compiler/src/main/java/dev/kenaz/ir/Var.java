package dev.kenaz.ir;

/**
 * A variable is bound once in the whole program. Two variables are the same when their tags are.
 *
 * @param name for people; need not be unique
 * @param tag unique in the program, from {@link Names}
 * @param type the same at the binding and at every use
 */
public record Var(String name, int tag, Type type) implements Atom {
  @Override
  public boolean equals(Object other) {
    return other instanceof Var v && v.tag == tag;
  }

  @Override
  public int hashCode() {
    return tag;
  }

  public Var withType(Type newType) {
    return newType == type ? this : new Var(name, tag, newType);
  }

  @Override
  public String toString() {
    return name + "_" + tag;
  }
}
