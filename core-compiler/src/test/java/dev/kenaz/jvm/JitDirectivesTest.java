package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class JitDirectivesTest {
  @Test
  void thisJvmTakesTheDirective() throws Exception {
    assertEquals("1 compiler directives added", JitDirectives.add().strip());
  }
}
