package io.idlalayer.jobs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.run.FakeJobClient;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.GlobalConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

final class LocalClusterTest {
  @TempDir Path folder;

  @Test
  void brokerIsOurs_aForeignProcessListens_isNotTakenForIt() throws Exception {
    Files.writeString(folder.resolve("meta.properties"), "cluster.id=ours\n");
    try (ServerSocket foreign = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      LocalCluster.Ports ports =
          new LocalCluster.Ports(foreign.getLocalPort(), foreign.getLocalPort(), 1);
      assertThat(LocalCluster.brokerIsOurs(ports, folder)).isFalse();
      assertThat(LocalCluster.jobManagerIsOurs(ports, folder)).isFalse();
    }
  }

  /** What Java tells of the start of a process moves with the wall clock; this does not. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void handle_isKnownByTicksSinceTheBoot() throws Exception {
    ManagedProcess process = new ManagedProcess(folder, "broker", "Main");
    long pid = ProcessHandle.current().pid();
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String ticks = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19];
    String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    Files.writeString(folder.resolve("broker.pid"), pid + " " + boot + ":" + ticks);
    assertThat(process.handle()).map(ProcessHandle::pid).contains(pid);
    Files.writeString(folder.resolve("broker.pid"), pid + " " + boot + ":1" + ticks);
    assertThat(process.handle()).as("another process with that number").isEmpty();
  }

  @Test
  void submittedJobs_areFoundAgain() throws Exception {
    SubmittedJobs jobs = new SubmittedJobs(folder);
    assertThat(jobs.list()).isEmpty();
    SubmittedJobs.Submitted job =
        new SubmittedJobs.Submitted(
            new JobID().toHexString(), Set.of("a", "b"), List.of(Path.of("/x/a.yaml")), "1f");
    jobs.add(job);
    assertThat(new SubmittedJobs(folder).list()).containsExactly(job);
    jobs.remove(Set.of("b", "a"));
    assertThat(jobs.list()).isEmpty();
  }

  @Test
  void digest_filesInAnotherOrder_isTheSameUntilOneChanges() throws Exception {
    Path a = Files.writeString(folder.resolve("a.yaml"), "name: a");
    Path b = Files.writeString(folder.resolve("b.yaml"), "name: b");
    String digest = SubmittedJobs.digest(List.of(a, b));
    assertThat(SubmittedJobs.digest(List.of(b, a))).isEqualTo(digest);
    Files.writeString(b, "name: b2");
    assertThat(SubmittedJobs.digest(List.of(a, b))).isNotEqualTo(digest);
  }

  @Test
  void getJobStatus_jobManagerAway_isRestartingUntilPatienceEnds() {
    AtomicLong nanos = new AtomicLong();
    FakeJob job = new FakeJob();
    PatientJobClient patient = new PatientJobClient(job, nanos::get);
    assertThat(patient.getJobStatus().join()).isEqualTo(JobStatus.RUNNING);
    job.away = true;
    nanos.set(PatientJobClient.PATIENCE.toNanos());
    assertThat(patient.getJobStatus().join()).isEqualTo(JobStatus.RESTARTING);
    nanos.incrementAndGet();
    assertThat(patient.getJobStatus()).isCompletedExceptionally();
    job.away = false;
    assertThat(patient.getJobStatus().join()).isEqualTo(JobStatus.RUNNING);
  }

  private static final class FakeJob extends FakeJobClient {
    boolean away;

    @Override
    public CompletableFuture<JobStatus> getJobStatus() {
      return away
          ? CompletableFuture.failedFuture(new java.net.ConnectException("refused"))
          : super.getJobStatus();
    }
  }

  @Test
  void configuration_withSettingsOfFlink_hasThemAsTheyWereGiven() throws Exception {
    LocalCluster.Ports ports = new LocalCluster.Ports(1, 2, 3);
    Map<String, String> asked = Map.of("metrics.reporter.x.note", "it's: a # 'test'");
    for (Path written :
        List.of(
            ClusterConfig.jobManager(folder, ports, "secret", asked),
            ClusterConfig.taskManager(folder, ports, 1, folder, asked))) {
      Map<String, String> read = GlobalConfiguration.loadConfiguration(written.toString()).toMap();
      assertThat(read).containsEntry("metrics.reporter.x.note", "it's: a # 'test'");
      assertThat(read).containsEntry("rest.port", "2");
      assertThat(read).containsEntry("taskmanager.load-balance.mode", "SLOTS");
    }
    assertThatThrownBy(
            () -> ClusterConfig.jobManager(folder, ports, "secret", Map.of("rest.port", "5")))
        .hasMessageContaining("leave out -D for rest.port");
  }
}
