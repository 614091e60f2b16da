package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VectorChecksTest {
  private static final String PROPERTY = "jdk.incubator.vector.VECTOR_ACCESS_OOB_CHECK";
  private final String before = System.getProperty(PROPERTY);

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(PROPERTY);
    } else {
      System.setProperty(PROPERTY, before);
    }
  }

  @Test
  void checksAreLeftOut() {
    System.clearProperty(PROPERTY);
    VectorChecks.leaveOut();
    assertEquals("0", System.getProperty(PROPERTY));
  }

  @Test
  void whatTheUserHasDecidedStays() {
    System.setProperty(PROPERTY, "2");
    VectorChecks.leaveOut();
    assertEquals("2", System.getProperty(PROPERTY));
  }
}
