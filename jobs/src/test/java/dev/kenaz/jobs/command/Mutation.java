package dev.kenaz.jobs.command;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** Damages files, as transfers, editors and tired people do. */
final class Mutation {
  /** What stands where something else was meant. */
  private static final List<String> WORDS =
      List.of(
          "0",
          "-1",
          "1e400",
          "-1e400",
          "1e-400",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775808",
          "99999999999999999999999999",
          "4294967296",
          "0x",
          "NaN",
          "null",
          "true",
          "\"\"",
          "\"x\"",
          "[]",
          "{}",
          "[[]]",
          "{\"a\": 1}",
          "\\u0000",
          "\0",
          "\"",
          "'",
          ",",
          "(",
          ")",
          "]",
          "}",
          "\n",
          "\r\n",
          "\t",
          "..",
          "/",
          "~",
          "é",
          "\uFEFF",
          "\uD83D",
          "def",
          "let",
          "in",
          "i32",
          "[n]",
          "->",
          "entry",
          "import \"x\"",
          "#",
          "?",
          "*",
          "--");

  private final RandomGenerator random;

  Mutation(RandomGenerator random) {
    this.random = random;
  }

  /** One to three faults. */
  byte[] of(byte[] whole, boolean text) {
    var bytes = whole;
    int faults = 1 + random.nextInt(3);
    for (int i = 0; i < faults; i++) {
      bytes = text && random.nextInt(3) > 0 ? inText(bytes) : inBytes(bytes);
    }
    return bytes;
  }

  private byte[] inBytes(byte[] bytes) {
    int n = bytes.length;
    int at = random.nextInt(n + 1);
    int length = random.nextInt(1 + Math.min(n - at, random.nextBoolean() ? 8 : 400));
    return switch (random.nextInt(8)) {
      case 0, 1 -> with(bytes, at, (byte) (n > at ? bytes[at] ^ 1 << random.nextInt(8) : 0));
      case 2 -> with(bytes, at, (byte) random.nextInt(256));
      case 3 -> joined(Arrays.copyOf(bytes, at), tail(bytes, at + length));
      case 4 -> joined(Arrays.copyOf(bytes, at), new byte[1 + random.nextInt(9)], tail(bytes, at));
      case 5 -> Arrays.copyOf(bytes, at);
      case 6 -> filled(bytes, at, length);
      default ->
          joined(
              Arrays.copyOf(bytes, at),
              Arrays.copyOfRange(bytes, at, at + length),
              tail(bytes, at));
    };
  }

  private static byte[] with(byte[] bytes, int at, byte b) {
    var copy = Arrays.copyOf(bytes, Math.max(bytes.length, at + 1));
    copy[at] = b;
    return copy;
  }

  /** Numbers in binary that are far too large, or negative. */
  private byte[] filled(byte[] bytes, int at, int length) {
    var copy = bytes.clone();
    Arrays.fill(copy, at, at + length, (byte) (random.nextBoolean() ? 0xFF : 0x7F));
    return copy;
  }

  private static byte[] tail(byte[] bytes, int from) {
    return Arrays.copyOfRange(bytes, Math.min(from, bytes.length), bytes.length);
  }

  private static byte[] joined(byte[]... parts) {
    int n = 0;
    for (var p : parts) {
      n += p.length;
    }
    var all = new byte[n];
    int at = 0;
    for (var p : parts) {
      System.arraycopy(p, 0, all, at, p.length);
      at += p.length;
    }
    return all;
  }

  private byte[] inText(byte[] bytes) {
    var text = new String(bytes, StandardCharsets.UTF_8);
    return (random.nextBoolean() ? byWords(text) : byLines(text)).getBytes(StandardCharsets.UTF_8);
  }

  private String byWords(String text) {
    var words = new ArrayList<>(List.of(text.split("(?<=\\W)|(?=\\W)")));
    int at = random.nextInt(words.size());
    int other = random.nextInt(words.size());
    switch (random.nextInt(5)) {
      case 0 -> words.remove(at);
      case 1 -> words.add(at, WORDS.get(random.nextInt(WORDS.size())));
      case 2 -> words.set(at, WORDS.get(random.nextInt(WORDS.size())));
      case 3 -> words.set(at, words.get(other));
      default -> words.add(at, words.get(other));
    }
    return String.join("", words);
  }

  private String byLines(String text) {
    var lines = new ArrayList<>(List.of(text.split("\n", -1)));
    int at = random.nextInt(lines.size());
    var other = lines.get(random.nextInt(lines.size()));
    switch (random.nextInt(4)) {
      case 0 -> lines.remove(at);
      case 1 -> lines.add(at, other);
      case 2 -> lines.set(at, other);
      default -> lines.add(at, lines.get(at));
    }
    return String.join("\n", lines);
  }
}
