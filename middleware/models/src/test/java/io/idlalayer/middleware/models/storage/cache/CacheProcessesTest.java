package io.idlalayer.middleware.models.storage.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.testkit.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes of one host. */
final class CacheProcessesTest {
  private static final String READ_SOURCE = "equal true, hits 0, misses 1";
  private static final String READ_COPY = "equal true, hits 1, misses 0";

  @TempDir Path folder;
  @TempDir Path elsewhere;
  private Path source;
  private Path go;

  @BeforeEach
  void write() throws IOException {
    byte[] content = new byte[3 << 20];
    new SplittableRandom(3).nextBytes(content);
    source = Files.write(elsewhere.resolve("model.zip"), content);
    go = elsewhere.resolve("go");
  }

  private ChildProcess start() throws IOException {
    return ChildProcess.start(
        CachingProcess.class, folder.toString(), source.toString(), go.toString());
  }

  /** Logs may be printed between the lines of a process. */
  private static void await(ChildProcess process, String line) throws IOException {
    List<String> before = new ArrayList<>();
    for (String each = process.line(); !each.equals(line); each = process.line()) {
      String unexpected = line.equals("waiting") ? "begun" : "null";
      assertThat(each).as("after %s, '%s' is awaited", before, line).isNotIn("null", unexpected);
      before.add(each);
    }
  }

  @Test
  void processes_needAFileAtOnce_oneReadsTheSource() throws Exception {
    try (ChildProcess writer = start()) {
      await(writer, "begun");
      try (ChildProcess second = start();
          ChildProcess third = start()) {
        await(second, "waiting");
        await(third, "waiting");
        Files.createFile(go);
        await(writer, READ_SOURCE);
        for (ChildProcess each : List.of(second, third)) {
          await(each, READ_COPY);
          assertThat(each.exitCode()).isZero();
        }
      }
      assertThat(writer.exitCode()).isZero();
    }
  }

  /** A lock that ended before the copy has its name would let another process empty the copy. */
  @Test
  void part_untilItHasItsName_isHeld() throws Exception {
    CountedFile file = CountedFile.of(1, 2 * CopyFormat.BLOCK_BYTES);
    String[] asked = {folder.toString(), file.name().sha256(), "" + file.name().bytes()};
    List<String> answers = new ArrayList<>();
    CacheOperations asking =
        new FaultyCacheOperations(Integer.MAX_VALUE, Integer.MAX_VALUE) {
          @Override
          public void move(Path before, Path to) throws IOException {
            answers.add(askedInAnotherProcess(asked));
            super.move(before, to);
          }
        };
    VersionCache cache =
        new VersionCache(
            VersionCacheSettings.of(folder), InstantSource.system(), Pauses.system(), asking);
    CacheFixture.assertReads(cache, file);
    assertThat(answers).containsExactly("held");
    assertThat(askedInAnotherProcess(asked)).as("after that, it is free").isEqualTo("taken");
    CacheFixture.assertReads(cache, file);
    assertThat(file.opens).hasValue(1);
  }

  private static String askedInAnotherProcess(String... arguments) throws IOException {
    try (ChildProcess process = ChildProcess.start(TakingProcess.class, arguments)) {
      String last = "";
      for (String line = process.line(); !line.equals("null"); line = process.line()) {
        last = line;
      }
      return last;
    }
  }

  @Test
  void process_isKilledWhileItWrites_anotherTakesOver() throws Exception {
    try (ChildProcess writer = start()) {
      await(writer, "begun");
      try (ChildProcess second = start()) {
        await(second, "waiting");
        writer.signal("KILL");
        Files.createFile(go);
        await(second, READ_SOURCE);
        assertThat(second.exitCode()).isZero();
      }
    }
    try (ChildProcess third = start()) {
      await(third, READ_COPY);
    }
  }
}
