package dev.kenaz.typing;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.kenaz.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/**
 * Small programs in files under {@code typing/batches}: a line {@code === ok name} or {@code ===
 * CODE name} before each says whether it is accepted, or which error it has; {@code === CODE name ~
 * words} also which words the message has in it.
 */
class BatchesTest {
  private static final Path ROOT = Path.of("src/test/resources/typing/batches");

  @TestFactory
  Stream<DynamicNode> batches() throws IOException {
    List<Path> files;
    try (var all = Files.list(ROOT)) {
      files = all.sorted().toList();
    }
    return files.stream().map(BatchesTest::batch);
  }

  private static DynamicNode batch(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(file.toString(), e);
    }
    return dynamicContainer(
        file.getFileName().toString(),
        Arrays.stream(text.split("(?m)^=== ")).filter(p -> !p.isBlank()).map(BatchesTest::program));
  }

  private static DynamicNode program(String part) {
    int end = part.indexOf('\n');
    var head = part.substring(0, end).split(" ", 2);
    var text = part.substring(end + 1);
    return dynamicTest(
        head[1],
        () -> {
          if (head[0].equals("ok")) {
            Programs.check(text);
          } else {
            int words = head[1].indexOf(" ~ ");
            Programs.rejects(
                ErrorCode.valueOf(head[0]), words < 0 ? "" : head[1].substring(words + 3), text);
          }
        });
  }
}
