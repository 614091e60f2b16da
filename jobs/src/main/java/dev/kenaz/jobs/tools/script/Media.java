package dev.kenaz.jobs.tools.script;

import static dev.kenaz.error.ErrorCode.K6007;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayBuilder;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import javax.sound.sampled.UnsupportedAudioFileException;

/** Reads pictures and sounds as arrays, in the formats that Java reads by itself. */
final class Media {
  private Media() {}

  /** Returns the rows of pixels, each of which has alpha, red, green and blue. */
  static Value image(Path file) {
    try {
      var image = ImageIO.read(file.toFile());
      if (image == null) {
        throw new UserError(
            K6007, file + " is no image that can be read", "PNG, JPEG, GIF and BMP can");
      }
      var pixels = new ArrayBuilder(Prim.U32, (long) image.getHeight() * image.getWidth());
      for (int y = 0; y < image.getHeight(); y++) {
        for (int x = 0; x < image.getWidth(); x++) {
          pixels.add(Integer.toUnsignedLong(image.getRGB(x, y)));
        }
      }
      return pixels.build(image.getHeight(), image.getWidth());
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /** Returns the samples of each channel as f64 from -1 to 1: {@code [channels][samples]}. */
  static Value sound(Path file) {
    try (var in = AudioSystem.getAudioInputStream(file.toFile());
        var pcm = linear(in.getFormat()) ? in : decoded(in)) {
      var format = pcm.getFormat();
      var bytes = ByteBuffer.wrap(pcm.readAllBytes());
      bytes.order(format.isBigEndian() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
      int width = format.getSampleSizeInBits() / 8;
      int channels = format.getChannels();
      int samples = bytes.capacity() / (width * channels);
      var out = new ArrayBuilder(Prim.F64, (long) channels * samples);
      for (int c = 0; c < channels; c++) {
        for (int i = 0; i < samples; i++) {
          out.add(Double.doubleToRawLongBits(sample(bytes, (i * channels + c) * width, format)));
        }
      }
      return out.build(channels, samples);
    } catch (UnsupportedAudioFileException e) {
      throw new UserError(K6007, file + " is no sound that can be read", "WAV, AIFF and AU can");
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static boolean linear(AudioFormat f) {
    var encoding = f.getEncoding();
    return encoding.equals(AudioFormat.Encoding.PCM_SIGNED)
        || encoding.equals(AudioFormat.Encoding.PCM_UNSIGNED)
        || encoding.equals(AudioFormat.Encoding.PCM_FLOAT);
  }

  private static AudioInputStream decoded(AudioInputStream in) {
    return AudioSystem.getAudioInputStream(AudioFormat.Encoding.PCM_SIGNED, in);
  }

  private static double sample(ByteBuffer bytes, int at, AudioFormat format) {
    int bits = format.getSampleSizeInBits();
    if (format.getEncoding().equals(AudioFormat.Encoding.PCM_FLOAT)) {
      return bits == 64 ? bytes.getDouble(at) : bytes.getFloat(at);
    }
    long value = 0;
    for (int i = 0; i < bits / 8; i++) {
      int b = format.isBigEndian() ? i : bits / 8 - 1 - i;
      value = value << 8 | bytes.get(at + b) & 0xFF;
    }
    double half = 1L << bits - 1;
    boolean signed = format.getEncoding().equals(AudioFormat.Encoding.PCM_SIGNED);
    return (signed ? value << 64 - bits >> 64 - bits : value - half) / half;
  }

  private static UserError unreadable(Path file, IOException e) {
    return new UserError(K6007, "can't read " + file + ": " + e.getMessage());
  }
}
