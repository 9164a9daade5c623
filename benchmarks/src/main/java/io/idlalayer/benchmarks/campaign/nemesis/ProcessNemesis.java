package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Kills (-9) and pauses (SIGSTOP, SIGCONT) of broker, embedded process, producer and subscriber, at
 * random times and at named points.
 */
final class ProcessNemesis implements Nemesis {
  private static final int RATE = 250;
  private static final Pattern FLINK = Pattern.compile("starting Flink");
  private static final Pattern CONTINUING = Pattern.compile("continuing from");
  private static final Pattern SAVING = Pattern.compile("saving|stopping");
  private static final long PATIENCE_MILLIS = 14_000;

  @Override
  public History play(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    int partitions = 1 + random.nextInt(3) / 2;
    String text = AppFile.text(round.name(), partitions);
    if (random.nextInt(4) == 0) {
      Path shared = round.folder().resolve("slow");
      round.foreign(shared);
      text = text.replace("hot-bytes: 0", "hot-bytes: 0, slow-directory: " + shared);
    }
    round.application(text);
    List<String> rows = Row.stream(random.nextLong(), 1, 700 + random.nextInt(800), true);
    Path input = round.input("events.csv", rows);
    round.watchModels();
    Victim follower = random.nextInt(2) == 0 ? round.follow() : null;
    if (random.nextInt(2) == 0) {
      breakProducer(round, input);
    }
    int kills = 2 + random.nextInt(3);
    for (int i = 0; i < kills; i++) {
      Victim run = round.run(input, RATE, Map.of());
      torment(round, run, follower);
      if (!run.runs()) {
        break;
      }
      String point = await(round, run);
      if (run.kill()) {
        round.fault("kill embedded at " + point);
      }
    }
    if (follower != null && random.nextInt(2) == 0 && follower.kill()) {
      round.fault("kill subscriber");
      round.follow();
    }
    round.finish(input, 0, Map.of());
    return round.history(Promise.all(Round.BOUND_SECONDS).rows(Row.numbers(rows)), null);
  }

  private static void breakProducer(Round round, Path input)
      throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    int starts = 1 + random.nextInt(2);
    for (int i = 0; i < starts; i++) {
      Victim producer =
          round.start(
              "produce",
              Map.of(),
              round.product().produce(round.application(), round.broker().servers(), input, RATE));
      producer.awaitExit(900 + random.nextInt(1_500));
      if (producer.pause(50 + random.nextInt(300))) {
        round.fault("pause producer");
      }
      producer.awaitExit(random.nextInt(1_000));
      if (producer.kill()) {
        round.fault("kill producer");
      }
    }
  }

  /** Pauses everybody, and now and then kills the broker under the run. */
  private static void torment(Round round, Victim run, @Nullable Victim follower)
      throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    int pauses = 5 + random.nextInt(6);
    for (int i = 0; i < pauses; i++) {
      run.awaitExit(50 + random.nextInt(450));
      long millis = random.nextInt(8) == 0 ? 2_000 : 30 + random.nextInt(300);
      if (run.pause(millis)) {
        round.fault("pause embedded");
      }
      if (random.nextInt(3) == 0 && round.broker().process().pause(30 + random.nextInt(500))) {
        round.fault("pause broker");
      }
      if (follower != null && random.nextInt(2) == 0 && follower.pause(30 + random.nextInt(300))) {
        round.fault("pause subscriber");
      }
    }
    if (random.nextInt(5) == 0 && run.runs()) {
      round.fault("kill broker");
      round.recoveries().add(round.broker().restart(random.nextInt(1_500)));
    }
  }

  /** Waits for a random moment or a named point; returns its name. */
  private static String await(Round round, Victim run) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    switch (random.nextInt(8)) {
      case 0 -> {
        return named(run.awaitText(FLINK, PATIENCE_MILLIS), "start of Flink");
      }
      case 1 -> {
        return named(run.awaitText(CONTINUING, 3_000), "restore");
      }
      case 2 -> {
        return named(round.awaitWork(run, PATIENCE_MILLIS), "publication");
      }
      case 3 -> {
        Path models = round.modelsRoot().resolve(round.name());
        return named(run.await(exists(models, ".staging-"), PATIENCE_MILLIS), "staging");
      }
      case 4 -> {
        Path checkpoints = round.work().resolve("checkpoints");
        return named(run.await(exists(checkpoints, "chk-"), PATIENCE_MILLIS), "checkpoint");
      }
      case 5 -> {
        return named(run.awaitText(SAVING, PATIENCE_MILLIS), "savepoint");
      }
      default -> {
        run.awaitExit(200 + random.nextInt(9_000));
        return "random time";
      }
    }
  }

  private static String named(boolean reached, String point) {
    return reached ? point : "random time";
  }

  /** Whether an entry two levels down has a name that begins so. */
  private static BooleanSupplier exists(Path root, String prefix) {
    return () -> {
      if (!Files.isDirectory(root)) {
        return false;
      }
      try (Stream<Path> entries = Files.walk(root, 3)) {
        return entries.anyMatch(it -> String.valueOf(it.getFileName()).startsWith(prefix));
      } catch (IOException | java.io.UncheckedIOException changing) {
        return false;
      }
    };
  }
}
