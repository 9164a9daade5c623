package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.report.SavedState;
import io.idlalayer.jobs.run.FlinkRest;
import io.idlalayer.jobs.run.FlinkSettings;
import io.idlalayer.jobs.run.JobCheckpoints;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real cluster in this process: its start, its end, and what it says of the checkpoints of a job.
 */
final class EmbeddedFlinkIT {
  private final FlinkThreads threads = new FlinkThreads();

  @TempDir Path folder;

  private Configuration settings(Path temporary) {
    Configuration settings = new Configuration();
    settings.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    settings.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    return FlinkSettings.embedded(settings, temporary);
  }

  @Test
  void restAddress_ofARunningJob_tellsItsCheckpoints() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    try (EmbeddedFlink flink = EmbeddedFlink.begin(1, settings(temporary))) {
      checkpoints(flink, temporary);
    }
    // The cluster takes its files along, but for a folder that Flink may leave.
    assertThat(temporary).isDirectoryNotContaining(file -> !file.endsWith("flink-web-upload"));
    threads.assertEnded();
  }

  @Test
  void close_whileTheClusterStarts_endsIt() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    EmbeddedFlink flink = EmbeddedFlink.begin(1, settings(temporary));
    flink.close();
    threads.assertEnded();
    flink.close();
    assertThatThrownBy(flink::restAddress)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the embedded Flink does not run");
  }

  @Test
  void awaitStart_portInUse_saysWhy() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Configuration settings = settings(temporary);
      settings.set(BlobServerOptions.PORT, Integer.toString(taken.getLocalPort()));
      try (EmbeddedFlink flink = EmbeddedFlink.begin(1, settings)) {
        assertThatThrownBy(flink::awaitStart)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("the embedded Flink does not start")
            .hasMessageContaining("port");
      }
    }
  }

  @Test
  void begin_severalProcesses_divideTheSubtasks() throws Exception {
    Configuration settings = settings(Files.createDirectory(folder.resolve("temporary")));
    settings.set(TaskManagerOptions.MINI_CLUSTER_NUM_TASK_MANAGERS, 2);
    try (EmbeddedFlink flink = EmbeddedFlink.begin(3, settings)) {
      flink.awaitStart();
      URI overview = flink.restAddress().resolve("/overview");
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(
              () ->
                  FlinkRest.get(overview, Duration.ofSeconds(10)).path("slots-total").asInt() == 4);
    }
  }

  private void checkpoints(EmbeddedFlink flink, Path temporary) throws Exception {
    StreamExecutionEnvironment env = flink.environment(settings(temporary));
    env.enableCheckpointing(50);
    env.fromSequence(1, Long.MAX_VALUE).filter(number -> number < 0).print();
    JobClient job = env.executeAsync("numbers");
    AtomicReference<SavedState.Checkpoints> told = new AtomicReference<>();
    Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () -> {
              told.set(JobCheckpoints.ask(flink.restAddress(), job.getJobID().toString()));
              return told.get().completed() > 1;
            });
    SavedState.Checkpoints checkpoints = told.get();
    // Flink counts one that it wants before all tasks run as failed; none that began may be.
    URI asked = flink.restAddress().resolve("/jobs/" + job.getJobID() + "/checkpoints");
    assertThat(
            FlinkRest.get(asked, Duration.ofSeconds(10)).at("/history").findValuesAsText("status"))
        .contains("COMPLETED")
        .doesNotContain("FAILED");
    assertThat(checkpoints.seconds().longest()).isGreaterThanOrEqualTo(checkpoints.seconds().p99());
    assertThat(checkpoints.seconds().p99()).isGreaterThanOrEqualTo(checkpoints.seconds().median());
    assertThat(checkpoints.stateBytes().last()).isPositive();
    assertThat(checkpoints.writtenBytes().most()).isPositive();
    answersItsOwnPagesOnly(flink.restAddress().getPort(), job.getJobID().toString());
    assertThat(job.getJobStatus().get(60, TimeUnit.SECONDS)).isEqualTo(JobStatus.RUNNING);
    job.cancel().get(60, TimeUnit.SECONDS);
  }

  /** Tries what a page of another site did: it read all of REST, and cancelled the job. */
  private static void answersItsOwnPagesOnly(int port, String job) throws IOException {
    String own = "Host: 127.0.0.1:" + port;
    String read = answer(port, "GET /jobs HTTP/1.1", own);
    assertThat(read).startsWith("HTTP/1.1 200").contains(job).doesNotContain("Allow-Origin: *");
    for (String foreign :
        List.of("Origin: http://localhost:28099", "Origin: null", "Sec-Fetch-Site: cross-site")) {
      assertThat(answer(port, "GET /jobs HTTP/1.1", own, foreign))
          .startsWith("HTTP/1.1 403")
          .doesNotContain(job);
    }
    assertThat(answer(port, "GET /jobmanager/config HTTP/1.1", "Host: evil.example:" + port))
        .startsWith("HTTP/1.1 421");
    for (String end : List.of("yarn-cancel", "yarn-stop", "yarn%2Dcancel", "yarn-stop/")) {
      assertThat(answer(port, "GET /jobs/%s/%s HTTP/1.1".formatted(job, end), own))
          .startsWith("HTTP/1.1 403");
    }
    for (String change :
        List.of("PATCH /jobs/%s?mode=cancel", "POST /jobs/%s/stop", "DELETE /cluster")) {
      assertThat(answer(port, change.formatted(job) + " HTTP/1.1", own)).startsWith("HTTP/1.1 405");
    }
    assertThat(
            answer(
                port,
                "POST /jars/upload HTTP/1.1",
                own,
                "Content-Type: multipart/form-data; boundary=x",
                "Content-Length: 1000000000"))
        .as("before its body is sent")
        .startsWith("HTTP/1.1 405");
    assertThat(answer(port, "GET /jobs HTTP/1.1", own, "Content-Length: 1000000000"))
        .startsWith("HTTP/1.1 413");
  }

  private static String answer(int port, String... lines) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      String request = String.join("\r\n", lines) + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
