package dev.kenaz.jvm;

/** Tells why a loop stays scalar. */
final class Unsuitable extends Exception {
  private static final long serialVersionUID = 1L;

  Unsuitable(String reason) {
    super(reason, null, false, false);
  }
}
