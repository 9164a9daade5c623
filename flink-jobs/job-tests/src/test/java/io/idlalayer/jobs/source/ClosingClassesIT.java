package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A client of Kafka that closes after the class loader of its job was closed. */
@EnabledOnOs(OS.LINUX)
final class ClosingClassesIT {
  private static final String ESTABLISHED = "01";
  private static final Duration WAIT = Duration.ofSeconds(20);

  @TempDir Path folder;

  /** Returns a loader that has classes of its own of everything but the JDK, as that of a job. */
  private static URLClassLoader loader() throws IOException {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<URL> urls = new ArrayList<>();
    for (String entry : all.split(File.pathSeparator, -1)) {
      if (!entry.isEmpty()) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  /** Returns how many connections of this process a port has. */
  private static long connections(int port) throws IOException {
    String remote = String.format(Locale.ROOT, ":%04X", port);
    long count = 0;
    for (String table : List.of("tcp", "tcp6")) {
      try (Stream<String> lines = Files.lines(Path.of("/proc/self/net", table))) {
        count +=
            lines
                .map(line -> line.strip().split("\\s+"))
                .filter(cells -> cells[2].endsWith(remote) && cells[3].equals(ESTABLISHED))
                .count();
      }
    }
    return count;
  }

  @Test
  void load_beforeTheLoaderIsClosed_letsAClientCloseItsConnections() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      int port = Integer.parseInt(broker.bootstrapServers().replaceAll(".*:", ""));
      long before = connections(port);
      AutoCloseable admin;
      try (URLClassLoader loader = loader()) {
        Class<?> type = loader.loadClass("org.apache.kafka.clients.admin.Admin");
        Thread.currentThread().setContextClassLoader(loader);
        admin =
            (AutoCloseable)
                type.getMethod("create", Map.class)
                    .invoke(null, Map.of("bootstrap.servers", broker.bootstrapServers()));
        Object cluster = type.getMethod("describeCluster").invoke(admin);
        Future<?> nodes =
            (Future<?>)
                loader
                    .loadClass("org.apache.kafka.clients.admin.DescribeClusterResult")
                    .getMethod("nodes")
                    .invoke(cluster);
        assertThat(nodes.get()).isNotNull();
        assertThat(connections(port)).isGreaterThan(before);
        ClosingClasses.load(loader);
      } finally {
        Thread.currentThread().setContextClassLoader(ClosingClassesIT.class.getClassLoader());
      }
      admin.close();
      Awaitility.await().atMost(WAIT).until(() -> connections(port) == before);
    }
  }
}
