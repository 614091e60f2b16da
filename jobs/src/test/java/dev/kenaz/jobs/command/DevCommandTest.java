package dev.kenaz.jobs.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.cuda.CudaText;
import dev.kenaz.jobs.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DevCommandTest {
  @TempDir Path folder;

  private String program() throws IOException {
    var file = folder.resolve("twice.fut");
    Files.writeString(file, "entry main [n] (xs: [n]f32): [n]f32 = map (* 2) xs");
    return file.toString();
  }

  @Test
  void theTextForNvccIsTheKernelsAfterWhatTheyNeed() throws IOException {
    var kernels = Told.run("dev", "--backend", "cuda", "--after", "cuda", program()).out();
    var whole = Told.run("dev", "--cuda", program()).out();
    assertTrue(kernels.contains("KZ_KERNEL void main_map"), kernels);
    assertEquals(CudaText.prelude() + kernels, whole);
  }

  @Test
  void otherBackendsMakeNoTextForNvcc() throws IOException {
    var told = Told.run("dev", "--cuda", "--backend", "jvm", program());
    assertEquals(ExitStatus.USER_ERROR, told.status());
    assertTrue(told.err().contains("--backend cuda"), told.err());
  }
}
