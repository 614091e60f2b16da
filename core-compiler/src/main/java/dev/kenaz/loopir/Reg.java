package dev.kenaz.loopir;

import dev.kenaz.ir.Names;
import dev.kenaz.value.Prim;

/**
 * This is a mutable scalar of one function or task.
 *
 * @param name for people
 * @param tag unique, from {@link Names}
 */
public record Reg(String name, int tag, Prim prim) {
  public static Reg fresh(String name, Prim prim) {
    return new Reg(name, Names.freshTag(), prim);
  }

  /** An i64: an index, a size, an address. */
  public static Reg index(String name) {
    return fresh(name, Prim.I64);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Reg r && r.tag == tag;
  }

  @Override
  public int hashCode() {
    return tag;
  }

  @Override
  public String toString() {
    return name + "." + tag;
  }
}
