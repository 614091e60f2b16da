package dev.kenaz.loopir;

/**
 * This is a buffer that one function or task owns: empty at its start, grown by {@link
 * Code.Ensure}, freed at its end.
 *
 * @param base address, 0 while empty
 * @param capacity bytes
 */
public record Slot(Reg base, Reg capacity) {
  public static Slot fresh(String name) {
    return new Slot(Reg.index(name), Reg.index(name + "_cap"));
  }
}
