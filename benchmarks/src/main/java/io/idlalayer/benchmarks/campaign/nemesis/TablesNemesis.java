package io.idlalayer.benchmarks.campaign.nemesis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.Invariant;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.SmallDisk;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Takes the slow directory from an application with embedding tables: it becomes full, read-only,
 * or is gone and comes back empty; and kills the process. Most rows are in RocksDB, so they are in
 * that directory or in checkpoints. A run of the same events without faults says what is to be
 * there in the end. The slow directory is a small file system of its own where this process may
 * mount one.
 */
final class TablesNemesis implements Nemesis {
  private static final int RATE = 200;
  private static final int EVENTS = 5_000;
  private static final int STEPS = 4;

  /** A start asks for 256 MiB. */
  private static final int DISK_MIB = 320;

  private static final int CALM_MILLIS = 180_000;

  /** Ten restarts, two seconds apart, and what each of them takes. */
  private static final int GIVES_UP_MILLIS = 90_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  @Override
  public History play(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    List<String> rows = Row.withIds(Row.stream(random.nextLong(), 1, EVENTS, true));
    Path input = round.input("events.csv", rows);
    JsonNode calm = calm(round, input);
    SmallDisk disk = new SmallDisk(round.folder().resolve("slow"), DISK_MIB);
    boolean mounted = disk.mount();
    if (!mounted) {
      round.note("no file system can be mounted here (needs root): only kills are left");
    }
    try {
      round.application(AppFile.tables(round.name(), disk.folder()));
      round.watchModels();
      Victim run = round.run(input, RATE, Map.of());
      for (int i = 0; i < STEPS; i++) {
        if (!run.runs()) {
          run = round.run(input, RATE, Map.of());
        }
        round.awaitWork(run, 30_000);
        run.awaitExit(500 + random.nextInt(11_000));
        if (run.runs()) {
          step(round, mounted, disk, run);
        }
      }
      run.kill();
      round.finish(input, 0, Map.of());
      checkRows(round, rows, calm);
      return round.history(Promise.all(Round.BOUND_SECONDS).rows(Row.numbers(rows)), calm);
    } finally {
      if (mounted) {
        round.endAll();
        disk.unmount();
      }
    }
  }

  /** The report of a run of the same events without faults; null, and a violation, if it fails. */
  private static @Nullable JsonNode calm(Round round, Path input)
      throws IOException, InterruptedException {
    String name = round.name() + "-calm";
    Path folder = round.folder().resolve("calm");
    Files.createDirectories(folder.resolve("slow"));
    Path application = folder.resolve("app.yaml");
    Files.writeString(application, AppFile.tables(name, folder.resolve("slow")));
    Path report = folder.resolve("report.json");
    Victim run =
        round.start(
            "calm",
            Map.of(),
            round
                .product()
                .run(
                    application,
                    folder.resolve("work"),
                    round.broker().servers(),
                    input,
                    0,
                    report));
    OptionalInt code = run.awaitExit(CALM_MILLIS);
    if (code.isEmpty() || code.getAsInt() != 0) {
      run.kill();
      round.violation(Invariant.LIVENESS, "the run without faults: " + run.tail());
      return null;
    }
    return JSON.readTree(report.toFile());
  }

  /** Every id of an event that trained has its row, with faults and without. */
  private static void checkRows(Round round, List<String> rows, @Nullable JsonNode calm)
      throws IOException {
    Set<String> ids =
        rows.stream()
            .filter(row -> Row.of(row).kind() == Row.Kind.LABELLED)
            .map(row -> row.split(",", -1)[2])
            .collect(Collectors.toSet());
    JsonNode report = round.reportNode();
    for (JsonNode told : calm == null ? List.<JsonNode>of() : List.of(calm)) {
      expectRows(round, "without faults", ids.size(), told);
    }
    if (report != null) {
      expectRows(round, "with faults", ids.size(), report);
    }
  }

  private static void expectRows(Round round, String which, long expected, JsonNode report) {
    long found = report.path("tables").path("rows").asLong(-1);
    if (found != expected) {
      round.violation(
          Invariant.EQUIVALENCE,
          "%s: %d ids trained, %d have a row".formatted(which, expected, found));
    }
  }

  private static void step(Round round, boolean mounted, SmallDisk disk, Victim run)
      throws IOException, InterruptedException {
    switch (mounted ? round.random().nextInt(6) : 5) {
      case 0, 1 -> full(round, disk, run, false);
      case 2 -> full(round, disk, run, true);
      case 3 -> gone(round, disk, run);
      case 4 -> readOnly(round, disk, run);
      default -> {
        if (run.kill()) {
          round.fault("kill embedded");
        }
      }
    }
  }

  /**
   * @param untilItGivesUp whether there is no room until the run has ended
   */
  private static void full(Round round, SmallDisk disk, Victim run, boolean untilItGivesUp)
      throws IOException, InterruptedException {
    disk.fill();
    round.fault("slow directory full");
    if (untilItGivesUp) {
      giveUp(round, disk, run, "No space left on device");
    } else {
      // A checkpoint is due in it, and with it RocksDB writes.
      run.awaitExit(11_000 + round.random().nextInt(4_000));
    }
    disk.empty();
  }

  /** It is another file system then, and empty. */
  private static void gone(Round round, SmallDisk disk, Victim run)
      throws IOException, InterruptedException {
    if (!disk.unmount()) {
      round.note("the slow directory could not be taken away");
      return;
    }
    round.fault("slow directory gone");
    run.awaitExit(11_000 + round.random().nextInt(4_000));
    if (!disk.mount()) {
      throw new IOException(disk.folder() + " could not be mounted again");
    }
  }

  private static void readOnly(Round round, SmallDisk disk, Victim run)
      throws IOException, InterruptedException {
    // A file that is open for writing forbids it; RocksDB has one most of the time.
    if (!disk.readOnly(true)) {
      round.note("the slow directory is in use, no read-only remount");
      return;
    }
    round.fault("slow directory read-only");
    run.awaitExit(11_000 + round.random().nextInt(4_000));
    disk.readOnly(false);
  }

  /** The run ends, and says which directory it was and what was wrong there. */
  private static void giveUp(Round round, SmallDisk disk, Victim run, String reason)
      throws IOException, InterruptedException {
    OptionalInt code = run.awaitExit(GIVES_UP_MILLIS);
    if (code.isEmpty()) {
      round.note("the run went on without room in its slow directory");
      return;
    }
    String said = run.tail();
    if (code.getAsInt() != 0
        && !(said.contains(disk.folder().toString()) && said.contains(reason))) {
      round.violation(
          Invariant.EXIT_CODE,
          "exit code %d, and neither %s nor '%s' in its last words: %s"
              .formatted(code.getAsInt(), disk.folder(), reason, said));
    }
  }
}
