package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.Invariant;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.Broker;
import io.idlalayer.benchmarks.campaign.process.Broker.Message;
import io.idlalayer.benchmarks.campaign.process.FaultyActivation;
import io.idlalayer.benchmarks.campaign.process.ModelWatch;
import io.idlalayer.benchmarks.campaign.process.Shim;
import io.idlalayer.benchmarks.campaign.process.SmallDisk;
import io.idlalayer.benchmarks.campaign.process.Victim;
import io.idlalayer.benchmarks.measure.WorkFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Faults that a build once had, each played on purpose: a campaign that does not find them in that
 * build proves nothing by finding none in another. Names are those of {@code docs/faults.md}.
 */
public enum KnownFault {
  C1("a JobManager that restarts in a container forgets what was learned") {
    @Override
    public History play(Round round) throws IOException, InterruptedException {
      Path application = round.application(AppFile.text(round.name(), 1));
      round.watchModels();
      int rest = Broker.freePort();
      int rpc = Broker.freePort();
      Victim manager = container(round, "jobmanager", rest, rpc, application);
      container(round, "taskmanager", rest, rpc, application);
      send(round, Row.stream(1, 1, 1_500, false));
      if (!await(round, 1_400, 120_000)) {
        throw new IOException("the containers' processes learn nothing; see " + round.folder());
      }
      awaitRecoveryPoint(round.work().resolve("checkpoints"), System.currentTimeMillis(), 40_000);
      manager.kill();
      round.fault("kill jobmanager");
      // The TaskManager learns on until it misses the heartbeats; what it does then does not count.
      Thread.sleep(12_000);
      long before = newest(round);
      Victim again = container(round, "jobmanager", rest, rpc, application);
      send(round, Row.stream(2, 10_000, 700, false));
      boolean went = again.await(() -> newest(round) > before, 120_000);
      again.awaitExit(3_000);
      round.ended(went ? 0 : -1, "no new version after the JobManager came back", went ? 1 : 120);
      History seen = round.history(Promise.all(100), null);
      return lineagesOnly(seen);
    }
  },

  C2("one finite outlier ends a run for good") {
    @Override
    public History play(Round round) throws IOException, InterruptedException {
      round.application(AppFile.text(round.name(), 1));
      List<String> rows = new ArrayList<>(Row.stream(3, 1, 500, false));
      rows.add("5000,3e38,0.5,1");
      rows.addAll(Row.stream(4, 6_000, 500, false));
      round.watchModels();
      round.fault("3e38");
      round.finish(round.input("events.csv", rows), 250, Map.of(), 1, 150);
      return round.history(Promise.all(150).uncertain(1), null);
    }
  },

  C4("a label that is taken back while its sample trains, then a crash") {
    @Override
    public History play(Round round) throws IOException, InterruptedException {
      String text =
          AppFile.faulty(round.name(), round.folder())
              .replace("  label: label\n", "  label: label\n  id: n\n");
      round.application(text);
      Path control = round.folder().resolve("trainer");
      Files.writeString(control, "NONE");
      Map<String, String> environment = Map.of("IDLA_FAULT_TRAINER", control.toString());
      round.watchModels();
      round.broker().create(round.topic(), 1);
      Victim run = round.run(null, 0, environment);
      // The file is read first, which trains a step; what learns comes after.
      run.awaitText(java.util.regex.Pattern.compile("starting Flink"), 60_000);
      TrainerNemesis.set(control, FaultyActivation.Mode.HANG);
      send(round, Row.stream(5, 1, 150, false));
      run.awaitExit(8_000);
      List<Message> tombstones = new ArrayList<>();
      for (int i = 40; i < 50; i++) {
        tombstones.add(
            new Message(Integer.toString(i).getBytes(StandardCharsets.UTF_8), null, Map.of()));
      }
      round.broker().send(round.topic(), 0, tombstones);
      round.fault("labels taken back in training");
      awaitRecoveryPoint(
          round.work().resolve("checkpoints"), System.currentTimeMillis() + 1_000, 60_000);
      run.kill();
      round.fault("kill embedded");
      TrainerNemesis.set(control, FaultyActivation.Mode.NONE);
      // Another input: the first one's records must not come again.
      Path last = round.input("last.csv", Row.stream(6, 1_000, 50, false));
      round.finish(last, 0, environment, 1, 100);
      return round.history(Promise.all(100).uncertain(20), null);
    }
  },

  C5("a second input on a finished work directory is not learned") {
    @Override
    public History play(Round round) throws IOException, InterruptedException {
      round.application(AppFile.text(round.name(), 1));
      round.watchModels();
      List<String> all = new ArrayList<>();
      for (String file : List.of("first.csv", "second.csv", "elsewhere/second.csv")) {
        List<String> rows = Row.stream(6 + all.size(), 1_000 + all.size(), 250, false);
        all.addAll(rows);
        if (round.finish(round.input(file, rows), 0, Map.of(), 1, 60) != 0) {
          break;
        }
        round.fault("another input");
      }
      return round.history(Promise.all(60).rows(Row.numbers(all)), null);
    }
  },

  C8_TRIMMED("records that retention took unread are not noticed") {
    @Override
    public History play(Round round) throws IOException, InterruptedException {
      round.application(AppFile.text(round.name(), 1));
      round.watchModels();
      return KafkaNemesis.trimmed(round);
    }
  },

  C8_RECREATED("a recreated topic is taken for the old one") {
    @Override
    public History play(Round round) throws IOException, InterruptedException {
      round.application(AppFile.text(round.name(), 1));
      round.watchModels();
      return KafkaNemesis.recreated(round);
    }
  },

  H3("a subscriber dies silently") {
    @Override
    public History play(Round round) throws IOException, InterruptedException {
      round.application(AppFile.text(round.name(), 1));
      Path control = round.folder().resolve("trainer");
      Files.writeString(control, "NONE");
      round.watchModels();
      round.finish(round.input("a.csv", Row.stream(7, 1, 200, false)), 0, Map.of(), 1, 60);
      Victim follower =
          round
              .product()
              .probe(
                  round.folder().resolve("probe.log"), round.modelsRoot(), round.name(), control);
      round.track(follower);
      follower.awaitText(java.util.regex.Pattern.compile("probe v\\d+ loaded"), 40_000);
      TrainerNemesis.set(control, FaultyActivation.Mode.OUT_OF_MEMORY_LOADING);
      republish(round);
      follower.awaitText(java.util.regex.Pattern.compile("the allocation fails"), 10_000);
      round.fault("out of memory while loading");
      TrainerNemesis.set(control, FaultyActivation.Mode.NONE);
      republish(round);
      long wanted = newest(round);
      boolean served =
          follower.awaitText(
              java.util.regex.Pattern.compile("probe v" + wanted + " loaded"), 45_000);
      round.ended(0, "", 0);
      if (!served) {
        round.violation(
            Invariant.SUBSCRIBER,
            "v%d was never served after one failed allocation; the subscriber %s"
                .formatted(wanted, follower.runs() ? "still runs" : "has ended"));
      }
      return lineagesOnly(round.history(Promise.all(100).damaged(), null));
    }
  },

  H7("a changed application file is taken silently") {
    @Override
    public History play(Round round) throws IOException, InterruptedException {
      String text = AppFile.text(round.name(), 1);
      round.application(text);
      round.finish(round.input("first.csv", Row.stream(9, 1, 300, false)), 0, Map.of(), 1, 100);
      Path saved = round.folder().resolve("saved");
      SmallDisk.command("cp", "-a", round.work().toString(), saved.toString());
      int number = 0;
      for (SettingsNemesis.Change change : SettingsNemesis.CHANGED.subList(0, 8)) {
        WorkFolder.delete(round.work());
        SmallDisk.command("cp", "-a", saved.toString(), round.work().toString());
        round.application(text.replace(change.from(), change.to()));
        round.fault("changed " + change.key());
        List<String> rows = Row.stream(10 + number, 10_000L * (number + 1), 40, false);
        SettingsNemesis.refused(round, change, round.input("change-" + number + ".csv", rows));
        number++;
      }
      round.ended(0, "", 0);
      return lineagesOnly(round.history(Promise.all(100), null));
    }
  },

  M1("a training goes before a publication that was pending at the restore") {
    @Override
    public History play(Round round) throws IOException, InterruptedException {
      round.application(AppFile.text(round.name(), 1).replace("keep: 500", "keep: 900"));
      List<String> rows = Row.stream(11, 1, 4_000, false);
      Path input = round.input("events.csv", rows);
      round.watchModels();
      for (int attempt = 0; attempt < 2; attempt++) {
        Shim shim = round.shim("run", round.modelsRoot());
        if (shim == null) {
          return lineagesOnly(round.history(Promise.all(100), null));
        }
        Victim run = round.run(input, 60, shim.environment());
        run.awaitText(Round.PUBLISHED, 60_000);
        // So slow that a recovery point falls into a publication while the next update waits.
        shim.slowSync(7_000);
        long since = System.currentTimeMillis();
        run.awaitExit(5_000);
        awaitRecoveryPoint(round.work().resolve("checkpoints"), since + 5_000, 40_000);
        run.kill();
        round.fault("kill embedded in a slow publication");
      }
      round.finish(input, 0, Map.of(), 1, 150);
      return round.history(Promise.all(150).rows(Row.numbers(rows)), null);
    }
  };

  private static final long LOOK_MILLIS = 100;

  private final String what;

  KnownFault(String what) {
    this.what = what;
  }

  public abstract History play(Round round) throws IOException, InterruptedException;

  public String what() {
    return what;
  }

  private static Victim container(Round round, String role, int rest, int rpc, Path application)
      throws IOException {
    Files.createDirectories(round.work());
    Victim victim =
        round
            .product()
            .container(
                role,
                round.folder().resolve(role + ".log"),
                round.work(),
                round.broker().port(),
                rest,
                rpc,
                application);
    round.track(victim);
    return victim;
  }

  private static void send(Round round, List<String> rows)
      throws IOException, InterruptedException {
    if (!round.broker().topics().contains(round.topic())) {
      round.broker().create(round.topic(), 1);
    }
    round.broker().send(round.topic(), 0, rows.stream().map(Message::of).toList());
  }

  private static long newest(Round round) {
    return round.manifests().stream().mapToLong(History.Manifest::version).max().orElse(0);
  }

  /** Waits until a version has {@code trained} trained samples. */
  private static boolean await(Round round, long trained, long millis) throws InterruptedException {
    long deadline = System.nanoTime() + millis * 1_000_000;
    while (System.nanoTime() < deadline) {
      if (round.manifests().stream().anyMatch(it -> it.trained() >= trained)) {
        return true;
      }
      Thread.sleep(LOOK_MILLIS);
    }
    return false;
  }

  /** Waits for a complete checkpoint that is younger than a moment. */
  private static boolean awaitRecoveryPoint(Path folder, long afterMillis, long millis)
      throws InterruptedException {
    long deadline = System.nanoTime() + millis * 1_000_000;
    while (System.nanoTime() < deadline) {
      if (Files.isDirectory(folder)) {
        try (Stream<Path> all = Files.walk(folder, 4)) {
          boolean found =
              all.anyMatch(
                  it -> it.endsWith("_metadata") && it.toFile().lastModified() > afterMillis);
          if (found) {
            return true;
          }
        } catch (IOException | java.io.UncheckedIOException changing) {
          // Flink deletes older ones meanwhile; the next look sees what is left.
        }
      }
      Thread.sleep(LOOK_MILLIS);
    }
    return false;
  }

  /** Publishes the newest version once again, under the next number. */
  private static void republish(Round round) throws IOException {
    Path partition = round.modelsRoot().resolve(round.name()).resolve("0");
    long version = newest(round);
    Path source = partition.resolve("v%010d".formatted(version));
    Path target = partition.resolve("v%010d".formatted(version + 1));
    Files.createDirectories(target);
    try (Stream<Path> files = Files.list(source)) {
      for (Path file : files.toList()) {
        Files.copy(file, target.resolve(file.getFileName()));
      }
    }
    Path manifest = target.resolve("manifest.json");
    String text = Files.readString(manifest);
    text =
        text.replaceFirst(
            "\"version\"\\s*:\\s*" + version + "\\b", "\"version\" : " + (version + 1));
    Files.writeString(manifest, text);
    String digest = ModelWatch.sha256(text.getBytes(StandardCharsets.UTF_8));
    Path pointer = partition.resolve("current.json");
    String pointed =
        Files.readString(pointer)
            .replaceFirst(
                "\"version\"\\s*:\\s*" + version + "\\b", "\"version\" : " + (version + 1))
            .replaceFirst("[0-9a-f]{64}", digest);
    Path staged = partition.resolve(".staging-by-campaign");
    Files.writeString(staged, pointed);
    Files.move(staged, pointer, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }

  /** Returns the observations without those that only hold for a run that ends with a report. */
  private static History lineagesOnly(History seen) {
    return new History(
        seen.events(),
        seen.lost(),
        seen.manifests(),
        seen.torn(),
        List.of(),
        List.of(),
        List.of(),
        null,
        null,
        seen.exitCode() == 0 ? 1 : seen.exitCode(),
        "not asked for a report",
        seen.secondsAfterLastFault(),
        seen.sockets(),
        seen.foreign(),
        seen.promise().refusing());
  }
}
