package dev.kenaz.jvm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Keeps the arrays that are constants in the code; the code has their addresses. */
final class Constants implements AutoCloseable {
  private record Constant(MemorySegment memory, long checked) {}

  /** The memory that the code reads. */
  private final List<MemorySegment> memory;

  private final List<Constant> checked = new ArrayList<>();

  /**
   * Takes over the memory.
   *
   * @param check whether accesses are checked, for which the arrays get other addresses
   */
  Constants(List<MemorySegment> memory, boolean check) {
    this.memory = memory;
    if (check) {
      for (var m : memory) {
        checked.add(new Constant(m, CheckedMemory.constant(m, "a constant array")));
      }
    }
  }

  /** The address that checked code has for an array; a number that is no address stays. */
  long address(long value) {
    for (var c : checked) {
      long at = value - c.memory.address();
      if (at >= 0 && at < c.memory.byteSize()) {
        return c.checked + at;
      }
    }
    return value;
  }

  List<MemorySegment> memory() {
    return memory;
  }

  @Override
  public void close() {
    checked.forEach(c -> CheckedMemory.release(c.checked));
    checked.clear();
  }
}
