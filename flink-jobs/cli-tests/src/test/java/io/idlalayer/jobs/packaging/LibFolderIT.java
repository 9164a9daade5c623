package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The lib folder that all processes start from, as the build leaves it. */
final class LibFolderIT {
  private static final Path LIB = Path.of("../cli/target/lib").toAbsolutePath().normalize();

  /** Bytes; a library that is added moves this limit on purpose. */
  private static final long LIMIT = 144_000_000;

  /** Classes that Flink loads only for high availability by ZooKeeper. */
  private static final String FOR_ZOOKEEPER =
      ".*/[^/]*(ZooKeeper|Curator|LastStateConnection)[^/]*\\.class";

  private static List<Path> jars(String prefix) throws IOException {
    try (Stream<Path> files = Files.list(LIB)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .filter(file -> file.toString().endsWith(".jar"))
          .sorted()
          .toList();
    }
  }

  private static void assumePlatform() throws IOException {
    Assumptions.assumeTrue(
        Files.readString(LIB.resolve("platform")).strip().equals("linux-x86_64"),
        "the lib folder of another platform has other libraries");
  }

  @Test
  void folder_ofOnePlatform_isWithinItsLimit() throws IOException {
    assumePlatform();
    long bytes = 0;
    for (Path jar : jars("")) {
      bytes += Files.size(jar);
    }
    assertThat(bytes).isBetween(LIMIT / 2, LIMIT);
  }

  @Test
  void rocksDb_hasTheLibraryOfThisPlatformAlone() throws IOException {
    assumePlatform();
    try (JarFile jar = new JarFile(jars("frocksdbjni-").get(0).toFile())) {
      assertThat(Collections.list(jar.entries()).stream().map(JarEntry::getName))
          .filteredOn(name -> name.matches(".*\\.(so|dll|jnilib)"))
          .containsExactly("librocksdbjni-linux64.so");
      assertThat(jar.getManifest().getMainAttributes().getValue("Idlalayer-Removed"))
          .contains("librocksdbjni-win64.dll");
    }
  }

  @Test
  void flink_withoutZooKeeper_missesNoClassOfOtherFeatures() throws IOException {
    List<String> users = new ArrayList<>();
    int keeper = 0;
    for (Path path : jars("flink-")) {
      if (path.getFileName().toString().startsWith("flink-shaded-")) {
        continue;
      }
      try (JarFile jar = new JarFile(path.toFile())) {
        for (JarEntry entry : Collections.list(jar.entries())) {
          if (entry.getName().endsWith(".class") && usesWhatIsGone(jar, entry)) {
            if (entry.getName().matches(FOR_ZOOKEEPER)) {
              keeper++;
            } else {
              users.add(entry.getName());
            }
          }
        }
      }
    }
    assertThat(keeper).as("classes for ZooKeeper").isGreaterThan(10);
    assertThat(users).isEmpty();
  }

  /** Each JobManager asks this class whether ZooKeeper is used. */
  @Test
  void zooKeeperUtils_withoutZooKeeper_areVerified() throws Throwable {
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars("")) {
      urls.add(jar.toUri().toURL());
    }
    try (URLClassLoader folder =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> utils = Class.forName("org.apache.flink.runtime.util.ZooKeeperUtils", true, folder);
      Class<?> settings = folder.loadClass("org.apache.flink.configuration.Configuration");
      // Reflection would look for the types of all its methods, which are not there.
      boolean asks =
          (boolean)
              MethodHandles.publicLookup()
                  .findStatic(
                      utils,
                      "isZooKeeperRecoveryMode",
                      MethodType.methodType(boolean.class, settings))
                  .invoke(settings.getDeclaredConstructor().newInstance());
      assertThat(asks).isFalse();
    }
  }

  private static boolean usesWhatIsGone(JarFile jar, JarEntry entry) throws IOException {
    try (InputStream in = jar.getInputStream(entry)) {
      String bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
      return bytes.contains("org/apache/flink/shaded/zookeeper3/")
          || bytes.contains("org/apache/flink/shaded/curator5/org/");
    }
  }
}
