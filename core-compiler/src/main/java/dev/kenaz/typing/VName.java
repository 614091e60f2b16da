package dev.kenaz.typing;

/**
 * A name that is unique in a program.
 *
 * @param base the name as it is written, or one that tells what it stands for
 * @param tag a number that tells names with the same base apart; those of the prelude are the
 *     smallest
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
