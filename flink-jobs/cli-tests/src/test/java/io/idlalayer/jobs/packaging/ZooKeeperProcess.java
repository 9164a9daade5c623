package io.idlalayer.jobs.packaging;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A ZooKeeper server in a process of its own, from the jar that Flink brings. */
final class ZooKeeperProcess implements AutoCloseable {
  private static final String MAIN =
      "org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.ZooKeeperServerMain";

  private final Process process;
  private final String address;
  private final int port;

  /**
   * Starts a server. Its clients try until it answers.
   *
   * @param folder for its data and its log
   */
  ZooKeeperProcess(Path folder) throws IOException {
    this(folder, HostNetwork.Host.LOCAL);
  }

  /** Starts a server on a host. */
  ZooKeeperProcess(Path folder, HostNetwork.Host host) throws IOException {
    address = host.address();
    port = SessionCluster.freePort();
    List<String> command = new ArrayList<>(host.command());
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-XX:TieredStopAtLevel=1",
            "-Dzookeeper.admin.enableServer=false",
            "-Djava.io.tmpdir=" + folder,
            "-cp",
            String.join(File.pathSeparator, SessionCluster.flinkJars()),
            MAIN,
            Integer.toString(port),
            folder.resolve("zookeeper").toString()));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("zookeeper.log").toFile())
            .start();
  }

  /** Returns the settings of a Flink whose high availability uses this server. */
  List<String> flink(Path storage) {
    return List.of(
        "high-availability.type: zookeeper",
        "high-availability.zookeeper.quorum: " + address + ":" + port,
        "high-availability.zookeeper.client.session-timeout: 5s",
        "high-availability.storageDir: " + storage.toUri());
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
