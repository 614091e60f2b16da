/**
 * A compiler of the Futhark array language for Java programs: {@code dev.kenaz} is all that they
 * need, with the faults that it reports and the choice of what runs a program. The rest of the
 * compiler is hidden from modules.
 */
module dev.kenaz {
  requires java.logging;
  requires jcuda;
  requires jdk.incubator.vector;
  requires jdk.management;
  requires jdk.unsupported;
  requires org.slf4j;

  exports dev.kenaz;
  exports dev.kenaz.error;
  exports dev.kenaz.options;
}
