package io.idlalayer.jobs.packaging;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** HDFS with one NameNode and one DataNode, each in a process of its own. */
final class HdfsCluster implements AutoCloseable {
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final String NAME_NODE = "org.apache.hadoop.hdfs.server.namenode.NameNode";
  private static final String DATA_NODE = "org.apache.hadoop.hdfs.server.datanode.DataNode";
  private static final Path JARS = Path.of("target/hdfs").toAbsolutePath();

  private final Path folder;
  private final int port;
  private final List<Process> nameNodes = new ArrayList<>();
  private final List<Process> dataNodes = new ArrayList<>();

  private HdfsCluster(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /**
   * Starts both, on loopback addresses only.
   *
   * @param folder for configuration, logs and blocks
   */
  static HdfsCluster start(Path folder) throws Exception {
    Files.createDirectories(folder);
    HdfsCluster cluster = new HdfsCluster(folder, SessionCluster.freePort());
    cluster.configure();
    Process format = cluster.process(NAME_NODE, "format.log", "-format");
    if (!format.waitFor(WAIT.toSeconds(), TimeUnit.SECONDS) || format.exitValue() != 0) {
      throw new AssertionError(Files.readString(folder.resolve("format.log")));
    }
    cluster.startNameNode();
    cluster.dataNodes.add(cluster.process(DATA_NODE, "datanode.log"));
    cluster.await();
    return cluster;
  }

  /** Hadoop's jars for processes that use HDFS. */
  static List<Path> client() throws IOException {
    return jars("commons-logging", "hadoop-client-api", "hadoop-client-runtime");
  }

  private static List<Path> jars(String... names) throws IOException {
    if (!Files.isDirectory(JARS)) {
      throw new AssertionError(JARS + " has no jars of Hadoop: run this test with -Phdfs");
    }
    try (Stream<Path> files = Files.list(JARS)) {
      return files
          .filter(
              file ->
                  Arrays.stream(names)
                      .anyMatch(name -> String.valueOf(file.getFileName()).startsWith(name)))
          .toList();
    }
  }

  private void configure() throws IOException {
    write("core-site.xml", Map.of("fs.defaultFS", address()));
    write(
        "hdfs-site.xml",
        Map.of(
            "dfs.namenode.name.dir", folder.resolve("name").toUri().toString(),
            "dfs.datanode.data.dir", folder.resolve("data").toUri().toString(),
            "dfs.replication", "1",
            "dfs.namenode.http-address", "127.0.0.1:0",
            "dfs.datanode.address", "127.0.0.1:0",
            "dfs.datanode.http.address", "127.0.0.1:0",
            "dfs.datanode.ipc.address", "127.0.0.1:0",
            "dfs.namenode.safemode.extension", "0"));
  }

  private void write(String file, Map<String, String> values) throws IOException {
    StringBuilder text = new StringBuilder("<configuration>\n");
    values.forEach(
        (name, value) ->
            text.append(
                "<property><name>%s</name><value>%s</value></property>%n".formatted(name, value)));
    Files.writeString(folder.resolve(file), text.append("</configuration>\n"));
  }

  private Process process(String main, String log, String... arguments) throws IOException {
    List<String> path = new ArrayList<>(List.of(folder.toString()));
    jars("commons-logging", "hadoop-client").forEach(jar -> path.add(jar.toString()));
    path.addAll(SessionCluster.flinkJars().stream().filter(HdfsCluster::logs).toList());
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                String.join(File.pathSeparator, path),
                main));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve(log).toFile()))
        .start();
  }

  private static boolean logs(String jar) {
    String name = String.valueOf(Path.of(jar).getFileName());
    return name.startsWith("slf4j-api") || name.startsWith("log4j");
  }

  /** The address of its file system. */
  String address() {
    return "hdfs://127.0.0.1:" + port;
  }

  /** Starts the NameNode. The one before has ended. */
  void startNameNode() throws IOException {
    nameNodes.add(process(NAME_NODE, "namenode.log"));
  }

  /** Waits until a file can be written. */
  void await() {
    Awaitility.await("HDFS")
        .atMost(WAIT)
        .until(
            () -> {
              Process touch =
                  process("org.apache.hadoop.fs.FsShell", "shell.log", "-touchz", "/started");
              return touch.waitFor(WAIT.toSeconds(), TimeUnit.SECONDS) && touch.exitValue() == 0;
            });
  }

  /** Kills the NameNode, as {@code kill -9} does. */
  void killNameNode() {
    nameNodes.forEach(HdfsCluster::kill);
  }

  private static void kill(Process process) {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    dataNodes.forEach(HdfsCluster::kill);
    killNameNode();
  }
}
