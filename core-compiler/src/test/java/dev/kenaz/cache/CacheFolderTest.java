package dev.kenaz.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("it changes a property of the process")
final class CacheFolderTest {
  @TempDir private Path folder;
  private String before;

  @BeforeEach
  void remember() {
    before = System.getProperty(CacheFolder.PROPERTY);
  }

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(CacheFolder.PROPERTY);
    } else {
      System.setProperty(CacheFolder.PROPERTY, before);
    }
  }

  @Test
  void codeLiesInFolderOfItsUserAlone() throws IOException {
    System.setProperty(CacheFolder.PROPERTY, folder.resolve("new/cache").toString());
    var classes = CacheFolder.trusted("classes").orElseThrow();
    assertEquals(folder.resolve("new/cache/classes"), classes);
    assertEquals(
        "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(classes)));
    assertEquals(Optional.of(classes), CacheFolder.trusted("classes"));
  }

  @Test
  void folderThatOthersMayWriteIsNotTrusted() throws IOException {
    System.setProperty(CacheFolder.PROPERTY, folder.toString());
    var classes = Files.createDirectory(folder.resolve("classes"));
    for (var others : new String[] {"rwxrwx---", "rwx----w-"}) {
      Files.setPosixFilePermissions(classes, PosixFilePermissions.fromString(others));
      assertEquals(Optional.empty(), CacheFolder.trusted("classes"));
    }
    Files.setPosixFilePermissions(classes, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertEquals(Optional.of(classes), CacheFolder.trusted("classes"));
  }

  @Test
  void fileInPlaceOfTheFolderIsNoFault() throws IOException {
    System.setProperty(CacheFolder.PROPERTY, folder.resolve("file/cache").toString());
    Files.writeString(folder.resolve("file"), "");
    assertEquals(Optional.empty(), CacheFolder.trusted("classes"));
    assertTrue(Files.isDirectory(CacheFolder.of("kernels")));
  }

  @Test
  void nothingLastsIfTheUserSaysSo() throws IOException {
    System.setProperty(CacheFolder.PROPERTY, "none");
    assertEquals(Optional.empty(), CacheFolder.trusted("classes"));
    assertEquals(CacheFolder.of("kernels"), CacheFolder.of("kernels"));
    assertTrue(Files.notExists(Path.of("none")));
  }
}
