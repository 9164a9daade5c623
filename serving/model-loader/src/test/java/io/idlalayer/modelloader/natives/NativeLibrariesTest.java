package io.idlalayer.modelloader.natives;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bytedeco.javacpp.Loader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** Loads libraries in the class loader of a job whose jar brings some that cannot be loaded. */
final class NativeLibrariesTest {
  private static final String PLATFORM = "org.bytedeco.javacpp.platform";

  @TempDir Path folder;

  private final Map<String, String> before = new TreeMap<>();

  @BeforeEach
  void bringLibraries() throws Exception {
    for (String name : List.of(PLATFORM, NativeLibraries.FOLDER)) {
      before.put(name, System.getProperty(name, ""));
      System.clearProperty(name);
    }
    System.setProperty(NativeLibraries.FOLDER, folder.resolve("shared").toString());
    Path index = folder.resolve("job").resolve(NativeBundle.FOLDER + Loader.Detector.getPlatform());
    Files.createDirectories(index.getParent());
    Files.writeString(index, "version 1\nload no.such.Library\n");
  }

  @AfterEach
  void restoreProperties() {
    before.forEach(
        (name, value) -> {
          if (value.isEmpty()) {
            System.clearProperty(name);
          } else {
            System.setProperty(name, value);
          }
        });
  }

  /** Calls the method in a class loader of its own. */
  private void ensure() throws Exception {
    List<URL> classes = new ArrayList<>();
    classes.add(folder.resolve("job").toUri().toURL());
    for (Class<?> each : List.of(NativeLibraries.class, Loader.class, Logger.class)) {
      classes.add(each.getProtectionDomain().getCodeSource().getLocation());
    }
    try (URLClassLoader job =
        new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      job.loadClass(NativeLibraries.class.getName()).getMethod("ensure").invoke(null);
    }
  }

  @Test
  void ensure_librariesForThisMachine_areLoaded() {
    assertThatThrownBy(this::ensure)
        .isInstanceOf(InvocationTargetException.class)
        .cause()
        .hasMessageContaining("native libraries cannot be loaded from")
        .hasMessageContaining("no.such.Library");
  }

  @Test
  void ensure_anotherPlatformIsNamed_leavesThemAlone() {
    System.setProperty(PLATFORM, "none");
    assertThatCode(this::ensure).doesNotThrowAnyException();
  }
}
