package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clusters of one process, which share what the testkit's SharedRpcSystem reads once. */
final class SharedRpcSystemIT {
  @TempDir Path folder;

  /** The class loaders of the classes of threads that work on remote calls, without Java's own. */
  private Set<ClassLoader> loaders() throws Exception {
    MiniClusterConfiguration settings =
        new MiniClusterConfiguration.Builder()
            .setConfiguration(new Configuration().set(WebOptions.TMP_DIR, folder.toString()))
            .withRandomPorts()
            .build();
    Set<ClassLoader> loaders = new HashSet<>();
    try (MiniCluster cluster = new MiniCluster(settings)) {
      cluster.start();
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        ClassLoader loader = thread.getClass().getClassLoader();
        if (thread.getName().startsWith("flink-pekko.actor") && loader != null) {
          loaders.add(loader);
        }
      }
    }
    return loaders;
  }

  @Test
  void start_oneClusterAfterAnother_useOneClassLoader() throws Exception {
    Set<ClassLoader> first = loaders();
    assertThat(first).hasSize(1).doesNotContain(MiniCluster.class.getClassLoader());
    assertThat(loaders()).isEqualTo(first);
  }
}
