package io.idlalayer.modelloader.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NativeFolderTest {
  private static final String INDEX =
      """
      version 1
      jar first.jar
      jar second.jar
      skip libsystem.so.1
      alias libother.so.2 libshared.so.2
      load some.Class
      """;

  @TempDir Path folder;

  private final List<URLClassLoader> loaders = new ArrayList<>();
  private long second;

  @AfterEach
  void close() throws IOException {
    for (URLClassLoader loader : loaders) {
      loader.close();
    }
  }

  /** A class loader of a folder with an index and two jars. */
  private ClassLoader loader(String name, String index) throws IOException {
    Path natives = Files.createDirectories(folder.resolve(name).resolve(NativeBundle.FOLDER));
    Files.writeString(natives.resolve("test-x86"), index);
    jar(
        natives.resolve("first.jar"),
        Map.of(
            "a/libjniit.so", "jni",
            "a/libshared.so.2", "shared",
            "a/libsystem.so.1", "system",
            "a/readme.txt", "text"));
    jar(natives.resolve("second.jar"), Map.of("b/libshared.so.2", "another"));
    URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.resolve(name).toUri().toURL()}, null);
    loaders.add(loader);
    return loader;
  }

  private static void jar(Path file, Map<String, String> entries) throws IOException {
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, String> entry : new TreeMap<>(entries).entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private NativeBundle bundle(String name, String index) throws IOException {
    return NativeBundle.find(loader(name, index), "test-x86").orElseThrow();
  }

  private NativeFolder open() throws IOException {
    return NativeFolder.open(folder.resolve("natives"), () -> Instant.ofEpochSecond(++second));
  }

  private List<String> names() throws IOException {
    return names(folder.resolve("natives"));
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void forOneClassLoader_givesJniLibrariesAsCopiesAndOthersAsTheSameFiles() throws IOException {
    NativeBundle bundle = bundle("one", INDEX);
    try (NativeFolder natives = open()) {
      Path own = natives.forOneClassLoader(bundle);
      Path version = folder.resolve("natives").resolve(bundle.identity());
      assertThat(names(own)).containsExactly("libjniit.so", "libother.so.2", "libshared.so.2");
      assertThat(Files.readString(own.resolve("libshared.so.2"))).isEqualTo("shared");
      assertThat(inode(own.resolve("libshared.so.2")))
          .isEqualTo(inode(version.resolve("libshared.so.2")))
          .isEqualTo(inode(own.resolve("libother.so.2")));
      assertThat(inode(own.resolve("libjniit.so")))
          .isNotEqualTo(inode(version.resolve("libjniit.so")));
    }
  }

  private static Object inode(Path file) throws IOException {
    return Files.getAttribute(file, "unix:ino");
  }

  @Test
  void forOneClassLoader_calledAgain_writesNoLibraryAgain() throws IOException {
    NativeBundle bundle = bundle("one", INDEX);
    Object before;
    Path library = folder.resolve("natives").resolve(bundle.identity()).resolve("libjniit.so");
    try (NativeFolder natives = open()) {
      NativeFolder.delete(natives.forOneClassLoader(bundle));
      before = Files.getAttribute(library, "unix:ctime");
    }
    Object inode = inode(library);
    try (NativeFolder natives = open()) {
      NativeFolder.delete(natives.forOneClassLoader(bundle));
    }
    assertThat(inode(library)).isEqualTo(inode);
    assertThat(Files.getAttribute(library, "unix:ctime")).isEqualTo(before);
    assertThat(names()).containsExactly("lock", bundle.identity());
  }

  @Test
  void forOneClassLoader_afterALibraryWasDeletedOrCut_unpacksAllAgain() throws IOException {
    NativeBundle bundle = bundle("one", INDEX);
    Path library = folder.resolve("natives").resolve(bundle.identity()).resolve("libshared.so.2");
    for (boolean deleted : new boolean[] {true, false}) {
      try (NativeFolder natives = open()) {
        NativeFolder.delete(natives.forOneClassLoader(bundle));
        if (deleted) {
          Files.delete(library);
        } else {
          Files.writeString(library, "cut");
        }
        Path own = natives.forOneClassLoader(bundle);
        assertThat(Files.readString(own.resolve("libshared.so.2"))).isEqualTo("shared");
        NativeFolder.delete(own);
      }
    }
  }

  @Test
  void forOneClassLoader_withManyVersions_deletesThoseThatWereNotUsedForLongest()
      throws IOException {
    List<String> versions = new ArrayList<>();
    for (int version = 0; version < 6; version++) {
      NativeBundle bundle = bundle("app" + version, INDEX + "load another.Class" + version + "\n");
      versions.add(bundle.identity());
      try (NativeFolder natives = open()) {
        NativeFolder.delete(natives.forOneClassLoader(bundle));
      }
    }
    List<String> expected = new ArrayList<>(versions.subList(3, 6));
    expected.add("lock");
    assertThat(names()).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void open_afterAProcessWasKilled_deletesWhatItLeft() throws IOException {
    open().close();
    Path left = Files.createDirectory(folder.resolve("natives/load-123"));
    Files.writeString(left.resolve("libhalf.so"), "half");
    Path foreign = Files.createDirectory(folder.resolve("natives/of-another"));
    open().close();
    assertThat(left).doesNotExist();
    assertThat(foreign).exists();
  }

  @Test
  void open_whereOthersMayWrite_isRefused() throws IOException {
    Path open = Files.createDirectory(folder.resolve("natives"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("others may write into it")
        .hasMessageContaining("-Didla.natives=FOLDER");
  }

  @Test
  void forOneClassLoader_withoutAJarOfItsIndex_leavesNothing() throws IOException {
    NativeBundle bundle = bundle("one", INDEX + "jar third.jar\n");
    try (NativeFolder natives = open()) {
      assertThatThrownBy(() -> natives.forOneClassLoader(bundle))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("third.jar is missing");
    }
    assertThat(names()).containsExactly("lock");
  }

  @Test
  void find_withAnotherIndex_refusesItByLine() {
    assertThatThrownBy(() -> bundle("one", INDEX + "copy x\n"))
        .hasMessageContaining("line 7")
        .hasMessageContaining("copy x");
    assertThatThrownBy(() -> bundle("two", "version 2\n")).hasMessageContaining("version 1");
  }

  @Test
  void find_onAnotherPlatform_findsNothing() throws IOException {
    assertThat(NativeBundle.find(loader("one", INDEX), "test-arm64")).isEmpty();
  }

  @Test
  void identity_ofAnotherIndex_differs() throws IOException {
    assertThat(bundle("one", INDEX).identity())
        .isEqualTo(bundle("two", INDEX).identity())
        .isNotEqualTo(bundle("three", INDEX.replace("first", "new")).identity());
  }
}
