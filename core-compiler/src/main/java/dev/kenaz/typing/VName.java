package dev.kenaz.typing;

/**
 * A name that is unique in a program.
 *
 * @param base as written, or made up from what it stands for
 * @param tag told apart by; the prelude's come first
 */
public record VName(String base, int tag) implements Comparable<VName> {
  @Override
  public int compareTo(VName other) {
    return Integer.compare(tag, other.tag);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof VName v && v.tag == tag;
  }

  @Override
  public int hashCode() {
    return tag * 0x9E3779B9;
  }

  /** The name and its tag; users are shown {@link #base}. */
  @Override
  public String toString() {
    return base + "_" + tag;
  }
}
