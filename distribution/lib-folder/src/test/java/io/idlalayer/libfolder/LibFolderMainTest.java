package io.idlalayer.libfolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LibFolderMainTest {
  private static final String MANIFEST = "Manifest-Version: 1.0\r\nBuilt-For: tests\r\n\r\n";
  private static final String LINUX = "linux/amd64/libfast.so";
  private static final String MAC = "darwin/aarch64/libfast.dylib";
  private static final String WINDOWS = "win/amd64/fast.dll";

  @TempDir Path folder;

  private Path jar(String name, String... entries) throws IOException {
    Map<String, String> contents = new LinkedHashMap<>();
    contents.put(JarFile.MANIFEST_NAME, MANIFEST);
    for (String entry : entries) {
      contents.put(entry, ("what lies in " + entry + " ").repeat(50));
    }
    Path jar = folder.resolve(name);
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Map.Entry<String, String> entry : contents.entrySet()) {
        ZipEntry zipped = new ZipEntry(entry.getKey());
        zipped.setTime(1_700_000_000_000L);
        out.putNextEntry(zipped);
        out.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return jar;
  }

  private static List<String> entries(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return new ArrayList<>(
          Collections.list(file.entries()).stream().map(JarEntry::getName).toList());
    }
  }

  private static String content(Path jar, String entry) throws IOException {
    try (JarFile file = new JarFile(jar.toFile());
        InputStream in = file.getInputStream(file.getEntry(entry))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void fit(String platform) throws IOException {
    LibFolderMain.main(folder.toString(), platform);
  }

  @Test
  void fit_leavesOutNativesOfOthers_andSaysSo() throws IOException {
    Path jar = jar("fast-1.jar", "META-INF/LICENSE", LINUX, MAC, WINDOWS, "a/B.class");
    fit("linux-x86_64");
    assertThat(entries(jar))
        .containsExactly(JarFile.MANIFEST_NAME, "META-INF/LICENSE", LINUX, "a/B.class");
    assertThat(content(jar, LINUX)).isEqualTo(("what lies in " + LINUX + " ").repeat(50));
    assertThat(content(jar, JarFile.MANIFEST_NAME))
        .contains("Built-For: tests", "Idlalayer-Platform: linux-x86_64");
    assertThat(SmallerJar.removed(jar)).contains(MAC + ", " + WINDOWS);
    assertThat(folder.resolve("platform")).hasContent("linux-x86_64");
  }

  @Test
  void fit_twice_changesNothing() throws IOException {
    Path jar = jar("fast-1.jar", LINUX, MAC, WINDOWS);
    fit("any");
    byte[] once = Files.readAllBytes(jar);
    fit("any");
    assertThat(Files.readAllBytes(jar)).isEqualTo(once);
    assertThat(entries(jar)).containsExactly(JarFile.MANIFEST_NAME, LINUX, MAC);
  }

  @Test
  void fit_sameJarElsewhere_givesSameBytes() throws IOException {
    Path jar = jar("fast-1.jar", LINUX, MAC);
    fit("linux-x86_64");
    byte[] first = Files.readAllBytes(jar);
    jar("fast-1.jar", LINUX, MAC);
    fit("linux-x86_64");
    assertThat(Files.readAllBytes(jar)).isEqualTo(first);
  }

  @Test
  void fit_jarThatIsNeededWhole_keepsItsBytes() throws IOException {
    Path jar = jar("plain-1.jar", "a/B.class", LINUX);
    byte[] before = Files.readAllBytes(jar);
    fit("linux-x86_64");
    assertThat(Files.readAllBytes(jar)).isEqualTo(before);
  }

  @Test
  void fit_optionalParts_goOnEveryPlatform() throws IOException {
    String curator = "org/apache/flink/shaded/curator5/";
    Path keeper =
        jar(
            "flink-shaded-zookeeper-3-1.jar",
            curator + "com/google/common/collect/Iterables.class",
            curator + "org/apache/curator/Curator.class",
            curator + "org/apache/curator/RetryPolicy.class",
            curator + "org/apache/curator/RetryPolicyOther.class",
            "org/apache/flink/shaded/zookeeper3/org/apache/zookeeper/KeeperException$Code.class",
            "org/apache/flink/shaded/zookeeper3/io/A.class");
    Path netty = jar("flink-shaded-netty-1.jar", "META-INF/native/lib_quiche42_linux_x86_64.so");
    fit("any");
    assertThat(entries(keeper))
        .containsExactly(
            JarFile.MANIFEST_NAME,
            curator + "com/google/common/collect/Iterables.class",
            curator + "org/apache/curator/RetryPolicy.class",
            "org/apache/flink/shaded/zookeeper3/org/apache/zookeeper/KeeperException$Code.class");
    assertThat(SmallerJar.removed(keeper)).contains("client and server of ZooKeeper");
    assertThat(entries(netty)).containsExactly(JarFile.MANIFEST_NAME);
  }

  @Test
  void fit_noNativeLibraryForPlatform_isRefused() throws IOException {
    Path jar = jar("fast-1.jar", MAC, WINDOWS);
    byte[] before = Files.readAllBytes(jar);
    assertThatThrownBy(() -> fit("linux-arm64"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("fast-1.jar")
        .hasMessageContaining("none for linux-arm64");
    assertThat(Files.readAllBytes(jar)).isEqualTo(before);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(jar);
    }
  }

  @Test
  void fit_signedJar_isRefused() throws IOException {
    jar("fast-1.jar", "META-INF/SOME.SF", LINUX, MAC);
    assertThatThrownBy(() -> fit("linux-x86_64")).hasMessageContaining("is signed");
  }

  @Test
  void fit_anotherPlatformBefore_isRefused() throws IOException {
    jar("fast-1.jar", LINUX, MAC);
    fit("linux-x86_64");
    assertThatThrownBy(() -> fit("any"))
        .hasMessageContaining("was made smaller for linux-x86_64: delete the folder");
  }

  @Test
  void bill_hasTheDigestsOfSmallerJars() throws Exception {
    Path fast = jar("fast-1-linux.jar", LINUX, MAC);
    Path plain = jar("plain-2.jar", "a/B.class");
    Path bill = folder.resolve("bom.json");
    Files.writeString(
        bill,
        """
        {"metadata": {"component": {"purl": "pkg:maven/org.plain/plain@2?type=jar"}},
         "components": [
          {"purl": "pkg:maven/org.fast/fast@1?classifier=linux&type=jar",
           "hashes": [{"alg": "SHA-256", "content": "aa"}, {"alg": "SHA3-512", "content": "bb"}]},
          {"purl": "pkg:maven/org.plain/plain@2?type=jar",
           "hashes": [{"alg": "SHA-256", "content": "cc"}]},
          {"purl": "pkg:maven/org.other/absent@3?type=jar",
           "hashes": [{"alg": "SHA-256", "content": "dd"}]}]}
        """);
    Path target = folder.resolve("licences").resolve("lib.cdx.json");
    LibFolderMain.main(folder.toString(), "linux-x86_64", bill.toString(), target.toString());
    JsonNode root = new ObjectMapper().readTree(target.toFile());
    assertThat(root.at("/metadata/component/hashes/0/content").asText())
        .isEqualTo(digest("SHA-256", plain));
    JsonNode components = root.path("components");
    assertThat(components.get(0).at("/hashes/0/content").asText())
        .isEqualTo(digest("SHA-256", fast));
    assertThat(components.get(0).at("/hashes/1/content").asText())
        .isEqualTo(digest("SHA3-512", fast));
    assertThat(components.get(0).at("/pedigree/notes").asText())
        .isEqualTo("Entries were left out: " + MAC);
    assertThat(components.get(1).at("/hashes/0/content").asText()).isEqualTo("cc");
    assertThat(components.get(1).has("pedigree")).isFalse();
    assertThat(components.get(2).at("/hashes/0/content").asText()).isEqualTo("dd");
  }

  private static String digest(String algorithm, Path file) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
  }
}
