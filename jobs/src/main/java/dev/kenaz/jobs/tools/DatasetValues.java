package dev.kenaz.jobs.tools;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueReader;
import dev.kenaz.value.ValueWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Writes values in Futhark's text and binary formats, random or converted. The options work in
 * their order, as in Futhark's own tool: a format, a bound and a seed hold for the options that
 * follow.
 */
public final class DatasetValues {
  private enum Format {
    TEXT,
    BINARY,
    NO_HEADER,
    ONLY_HEADER
  }

  private final InputStream in;
  private final OutputStream out;
  private final ValueGenerator generator = new ValueGenerator(0);
  private Format format = Format.TEXT;
  private boolean generated;

  public DatasetValues(InputStream in, OutputStream out) {
    this.in = in;
    this.out = out;
  }

  /**
   * Does what the options say. Without a value to generate, it converts what it reads.
   *
   * @throws dev.kenaz.error.UserError if the options make no sense
   */
  public void run(List<String> options) throws IOException {
    var words = new ArrayDeque<>(options);
    while (!words.isEmpty()) {
      option(words.removeFirst(), words);
    }
    if (!generated) {
      try (var reader = ValueReader.of(in, "<standard input>")) {
        while (reader.hasNext()) {
          write(reader.next());
        }
      }
    }
    out.flush();
  }

  private void option(String word, Deque<String> rest) throws IOException {
    int equals = word.indexOf('=');
    var name = word.startsWith("--") && equals > 0 ? word.substring(0, equals) : word;
    if (word.startsWith("--") && equals > 0) {
      rest.addFirst(word.substring(equals + 1));
    } else if (word.length() > 2 && (word.startsWith("-g") || word.startsWith("-s"))) {
      name = word.substring(0, 2);
      rest.addFirst(word.substring(2));
    }
    switch (name) {
      case "-b", "--binary" -> format = Format.BINARY;
      case "-t", "--text" -> format = Format.TEXT;
      case "--binary-no-header" -> format = Format.NO_HEADER;
      case "--binary-only-header" -> format = Format.ONLY_HEADER;
      case "-g", "--generate" -> generate(argument(name, rest));
      case "-s", "--seed" -> generator.seed(seed(argument(name, rest)));
      default -> {
        if (!name.startsWith("--") || !name.endsWith("-bounds")) {
          throw ToolFault.command("unknown option: " + word);
        }
        var type = name.substring(2, name.length() - "-bounds".length());
        var prim = Prim.named(type).orElseThrow(() -> ToolFault.name("there is no type " + type));
        generator.bound(prim, argument(name, rest));
      }
    }
  }

  private static String argument(String option, Deque<String> rest) {
    if (rest.isEmpty()) {
      throw ToolFault.command(option + " needs an argument");
    }
    return rest.removeFirst();
  }

  private static long seed(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException _) {
      throw ToolFault.command("not an integer: " + text);
    }
  }

  private void generate(String type) throws IOException {
    generated = true;
    if (format == Format.ONLY_HEADER) {
      header(ValueGenerator.element(type), ValueGenerator.dimensions(type));
    } else {
      write(generator.generate(type));
    }
  }

  private void write(Value v) throws IOException {
    switch (format) {
      case TEXT -> ValueWriter.writeText(v, out);
      case BINARY -> ValueWriter.writeBinary(v, out);
      case ONLY_HEADER -> header(v.prim(), v.shape());
      case NO_HEADER -> payload(v);
    }
  }

  private void header(Prim prim, long[] shape) throws IOException {
    var head = ByteBuffer.allocate(7 + 8 * shape.length).order(ByteOrder.LITTLE_ENDIAN);
    head.put((byte) 'b').put((byte) 2).put((byte) shape.length);
    head.put(prim.binaryTag().getBytes(StandardCharsets.US_ASCII));
    for (long d : shape) {
      head.putLong(d);
    }
    out.write(head.array());
  }

  private void payload(Value v) throws IOException {
    var array =
        switch (v) {
          case ScalarValue s -> ArrayValue.stack(List.of(s));
          case ArrayValue a -> a;
        };
    var channel = Channels.newChannel(out);
    long size = array.data().byteSize();
    for (long at = 0; at < size; at += 1 << 20) {
      channel.write(array.data().asSlice(at, Math.min(1 << 20, size - at)).asByteBuffer());
    }
  }
}
