package dev.kenaz.kernels;

import dev.kenaz.loopir.Reg;
import java.util.HashMap;
import java.util.Map;

/** These are the values of the host's registers. */
final class Frame {
  private final Map<Reg, Long> values = new HashMap<>();

  long get(Reg reg) {
    var value = values.get(reg);
    return value == null ? 0 : value;
  }

  void set(Reg reg, long bits) {
    values.put(reg, bits);
  }
}
