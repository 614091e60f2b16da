package dev.kenaz.jobs.tools.script;

import static dev.kenaz.error.ErrorCode.K6007;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.error.UserError;
import dev.kenaz.value.ValueReader;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sound.sampled.AudioFileFormat;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MediaTest {
  @TempDir Path folder;

  @Test
  void samplesByChannel() throws Exception {
    byte[] frames = {0, 0, -1, 127, 0, 64, 0, -128};
    assertEquals(
        ValueReader.parse("[[0f64, 0.5f64], [0.999969482421875f64, -1f64]]").getFirst(),
        Media.sound(written(frames, new AudioFormat(8000, 16, 2, true, false))));
  }

  @Test
  void unsignedBytes() throws Exception {
    byte[] frames = {(byte) 128, 0, (byte) 192};
    assertEquals(
        ValueReader.parse("[[0f64, -1f64, 0.5f64]]").getFirst(),
        Media.sound(written(frames, new AudioFormat(8000, 8, 1, false, false))));
  }

  @Test
  void noSound() throws Exception {
    var file = Files.writeString(folder.resolve("x.wav"), "not a sound");
    assertEquals(
        K6007,
        assertThrows(UserError.class, () -> Media.sound(file)).diagnostics().getFirst().code());
  }

  private Path written(byte[] frames, AudioFormat format) throws Exception {
    var file = folder.resolve("sound.wav");
    var in =
        new AudioInputStream(
            new ByteArrayInputStream(frames), format, frames.length / format.getFrameSize());
    AudioSystem.write(in, AudioFileFormat.Type.WAVE, file.toFile());
    return file;
  }
}
