package dev.kenaz.jobs.tools;

import dev.kenaz.ir.EntryPoint.ExternalType;
import dev.kenaz.value.Value;
import java.util.List;

/**
 * This is a value of a program as its users see it, which may also be a record, a sum, an array of
 * these, or a value of an abstract type.
 *
 * @param flat one value for each flat component of the type (see {@link ExternalType#flat})
 */
public record Item(ExternalType type, List<Value> flat) {
  public Item {
    flat = List.copyOf(flat);
  }
}
