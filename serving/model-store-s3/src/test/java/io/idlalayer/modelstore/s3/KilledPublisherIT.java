package io.idlalayer.modelstore.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.ObjectStoreServer.Fate;
import io.idlalayer.testkit.TestCredentials;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 of a publisher's process at a write to an object store, before or after the write takes
 * effect: first when a manifest is written and when the pointer is moved, then at random writes,
 * uploads of parts and deletions among them. What was acknowledged stays, what is in service is
 * whole, and the next process goes on.
 */
final class KilledPublisherIT {
  private static final int KILLS = Integer.getInteger("idlalayer.kills", 5);
  private static final int WRITES = 60;

  @TempDir Path folder;
  @TempDir Path local;
  private final SplittableRandom random =
      new SplittableRandom(Long.getLong("idlalayer.kill.seed", 1));
  private ObjectStoreServer server;

  @BeforeEach
  void start() throws IOException {
    TestCredentials.set();
    server = ObjectStoreServer.start(folder);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void killNine_atAnyWrite_leavesWhatWasAcknowledgedAndNothingTorn() throws Exception {
    long acknowledged = 0;
    int withoutAny = 0;
    ModelStore store =
        new ModelStore(
            S3Bucket.open(server.address(), ServedStores.settings(server)),
            InstantSource.system(),
            new PublisherIdentity("reader", "here"));
    try (store;
        ModelSubscriber<Long> subscriber =
            new ModelSubscriber<>(
                new ModelSubscriber.Subscription(store, "app", 0, Duration.ofMillis(20)),
                (checkpoint, files) -> {
                  byte[] content = files.getOrDefault("model.zip", new byte[0]);
                  assertThat(Arrays.equals(content, files.get("spec.json"))).isTrue();
                  return checkpoint.manifest().version();
                },
                InstantSource.system())) {
      for (int kill = 0; kill < KILLS; kill++) {
        long before = acknowledged;
        acknowledged = Math.max(acknowledged, lastUntilKilled(kill));
        withoutAny += acknowledged == before ? 1 : 0;
        ModelCheckpoint current = store.current("app", 0).orElse(null);
        if (current == null) {
          assertThat(acknowledged).as("nothing was acknowledged").isZero();
          continue;
        }
        assertThat(current.manifest().version()).isGreaterThanOrEqualTo(acknowledged);
        // The last write may have taken effect without a word to the process that died.
        acknowledged = current.manifest().version();
        store.verify(current);
        subscriber.refresh();
        assertThat(subscriber.current().orElseThrow().digest()).isEqualTo(current.digest());
        assertThat(subscriber.status().refused()).isZero();
      }
    }
    assertThat(acknowledged).as("versions were published between the kills").isGreaterThan(KILLS);
    assertThat(withoutAny).isLessThan(KILLS);
  }

  /** A write; asked once for each, in their order. */
  private interface Chosen {
    boolean is(String method, String path);
  }

  /** The write at which a process is killed. */
  private Chosen chosen(int kill) {
    AtomicInteger seen = new AtomicInteger();
    if (kill < 2) {
      Map<String, Integer> puts = new HashMap<>();
      // A reservation is put in place of a manifest before; the first version is finished.
      return (method, path) ->
          method.equals("PUT")
              && path.endsWith("/" + ModelSource.MANIFEST)
              && puts.merge(path, 1, Integer::sum) == 2
              && seen.incrementAndGet() == 2;
    }
    if (kill < 4) {
      // The first is the claim, the second that of the first version.
      return (method, path) ->
          path.endsWith("/" + ModelSource.POINTER) && seen.incrementAndGet() == 3;
    }
    int last = 2 + random.nextInt(WRITES);
    return (method, path) -> seen.incrementAndGet() == last;
  }

  /** Starts a publisher, kills it at one of its writes; the last version that it said. */
  private long lastUntilKilled(int kill) throws IOException, InterruptedException {
    Chosen chosen = chosen(kill);
    Fate fate = (kill < 4 ? kill % 2 == 1 : random.nextBoolean()) ? Fate.UNANSWERED : Fate.DROPPED;
    AtomicBoolean killed = new AtomicBoolean();
    AtomicReference<Process> publisher = new AtomicReference<>();
    server.faults(
        (method, path) -> {
          if (method.equals("GET") || method.equals("HEAD")) {
            return Fate.ANSWERED;
          }
          synchronized (killed) {
            if (killed.get()) {
              return Fate.DROPPED;
            }
            if (!chosen.is(method, path)) {
              return Fate.ANSWERED;
            }
            killed.set(true);
          }
          publisher.get().destroyForcibly();
          return fate;
        });
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Daws.accessKeyId=AKIDTEST",
                "-Daws.secretAccessKey=" + TestCredentials.SECRET,
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                EndlessPublisher.class.getName(),
                server.endpoint().toString(),
                server.address(),
                local.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    publisher.set(process);
    long said = 0;
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        said = Long.parseLong(line);
      }
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as("it was killed, and did not end by itself").isEqualTo(137);
    server.faults((method, path) -> Fate.ANSWERED);
    return said;
  }
}
