package io.idlalayer.middleware.cache.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Caches in processes of their own, which are killed. The property {@code idla.shared.seconds} is
 * how long they work at least.
 */
class SharedProcessesTest {
  private static final long MIB = 1 << 20;
  private static final long SECONDS = Long.getLong("idla.shared.seconds", 2);
  private static final int KILLS_MIN = 3;

  @TempDir Path parent;

  /** A process with a cache. */
  private static final class Child implements AutoCloseable {
    private final Process process;
    private final BufferedReader answers;

    Child(Path parent, long ceiling) throws IOException {
      process =
          new ProcessBuilder(
                  System.getProperty("java.home")
                      + File.separator
                      + "bin"
                      + File.separator
                      + "java",
                  "-Xmx128m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty(
                      "surefire.test.class.path", System.getProperty("java.class.path")),
                  CacheProcess.class.getName(),
                  parent.toString(),
                  Long.toString(ceiling))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      answers = process.inputReader(StandardCharsets.UTF_8);
      assertThat(answers.readLine()).isEqualTo("ready");
    }

    String ask(String line) {
      try {
        process.outputWriter(StandardCharsets.UTF_8).append(line + "\n").flush();
        return answers.readLine();
      } catch (IOException gone) {
        throw new UncheckedIOException("the process ended: " + process.isAlive(), gone);
      }
    }

    int hits(int from, int to) {
      return Integer.parseInt(ask("update %d %d".formatted(from, to)).substring("hits ".length()));
    }

    List<Long> use() {
      return Arrays.stream(ask("use").substring("use ".length()).split(" ", -1))
          .map(Long::valueOf)
          .toList();
    }

    long neighbours() {
      return use().get(0);
    }

    long neighbourHits() {
      return use().get(1);
    }

    long foundBlocks() {
      return use().get(2);
    }

    void assertRight() {
      assertThat(use().get(4)).as("damaged records").isZero();
      assertThat(use().get(5)).as("wrong payloads").isZero();
    }

    /** Ends the process as kill -9 does. */
    void kill() throws InterruptedException {
      process.destroyForcibly();
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    @Override
    public void close() throws InterruptedException {
      kill();
    }
  }

  @Test
  void update_afterKillMinusNine_hitsAsBefore() throws Exception {
    int payloads = 1500;
    int before;
    try (Child child = new Child(parent, 8 * MIB)) {
      assertThat(child.hits(0, payloads)).isZero();
      before = child.hits(0, payloads);
      assertThat(before).isGreaterThan(payloads * 9 / 10);
    }
    try (Child child = new Child(parent, 8 * MIB)) {
      assertThat(child.foundBlocks()).isGreaterThan(payloads * 9L / 10);
      assertThat(child.hits(0, payloads)).isGreaterThan(before * 9 / 10);
      child.assertRight();
    }
  }

  @Test
  void update_ofOtherProcess_findsPayloadsOfNeighbour() throws Exception {
    try (Child one = new Child(parent, 8 * MIB);
        Child other = new Child(parent, 8 * MIB)) {
      one.hits(0, 1000);
      assertThat(other.hits(0, 1000)).isGreaterThan(990);
      assertThat(other.neighbourHits()).isGreaterThan(990);
      one.kill();
      // The file of a dead process still answers.
      assertThat(other.hits(0, 1000)).isGreaterThan(990);
      other.assertRight();
    }
  }

  @Test
  void work_whileProcessesAreKilled_readsNoWrongByte() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    try (Child survivor = new Child(parent, 2 * MIB)) {
      survivor.ask("work 4000");
      long taken = 0;
      for (int kills = 0; kills < KILLS_MIN || System.nanoTime() < end; kills++) {
        try (Child victim = new Child(parent, 2 * MIB)) {
          taken += victim.foundBlocks();
          victim.ask("work 4000");
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(700));
          victim.assertRight();
          survivor.assertRight();
        }
      }
      assertThat(taken).as("blocks that were taken over").isPositive();
      assertThat(survivor.neighbourHits()).isPositive();
      assertThat(survivor.neighbours()).isEqualTo(1);
    }
  }
}
