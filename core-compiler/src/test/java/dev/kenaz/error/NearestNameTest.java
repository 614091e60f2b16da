package dev.kenaz.error;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NearestNameTest {
  private static final List<String> KNOWN = List.of("delay", "distance", "time", "map2", "map3");

  @Test
  void smallSlipsAreRecognised() {
    assertEquals(Optional.of("delay"), NearestName.of("dealy", KNOWN));
    assertEquals(Optional.of("distance"), NearestName.of("Distnace", KNOWN));
    assertEquals(Optional.of("time"), NearestName.of("tine", KNOWN));
    assertEquals(Optional.of("map2"), NearestName.of("map", KNOWN));
  }

  @Test
  void otherWordsAreNot() {
    assertEquals(Optional.empty(), NearestName.of("departure", KNOWN));
    assertEquals(Optional.empty(), NearestName.of("x", KNOWN));
    assertEquals(0, NearestName.hint("departure", KNOWN).length);
  }
}
