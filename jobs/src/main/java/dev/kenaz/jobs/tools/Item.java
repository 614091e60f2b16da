package dev.kenaz.jobs.tools;

import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.value.Value;
import java.util.List;

/**
 * A value of a program as its users see it: also records, sums, arrays of them, and hidden ones.
 *
 * @param flat one a flat component of the type (see {@link ExternalType#flat})
 */
public record Item(ExternalType type, List<Value> flat) {
  public Item {
    flat = List.copyOf(flat);
  }
}
