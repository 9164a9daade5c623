package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.Shim;
import io.idlalayer.benchmarks.campaign.process.SmallDisk;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Breaks the disk of the work directory: full, read-only, undeletable entries, cut files, slow
 * syncs, failing writes. The work directory is a small file system of its own where this process
 * may mount one.
 */
final class DiskNemesis implements Nemesis {
  private static final int RATE = 200;
  private static final int DISK_MIB = 420;
  private static final int STEPS = 10;

  @Override
  public History play(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    SmallDisk disk = new SmallDisk(round.folder().resolve("disk"), DISK_MIB);
    boolean mounted = disk.mount();
    if (!mounted) {
      round.note("no file system can be mounted here (needs root): full and read-only left out");
    }
    try {
      round.work(disk.folder().resolve("work"));
      round.application(
          AppFile.text(round.name(), 1)
              .replace("{keep: 500}", "{keep: " + (2 + random.nextInt(3)) + "}"));
      List<String> rows = Row.stream(random.nextLong(), 1, 1_600, true);
      Path input = round.input("events.csv", rows);
      round.watchModels();
      Shim shim = round.shim("run", round.work());
      Map<String, String> environment = shim == null ? Map.of() : shim.environment();
      Victim run = round.run(input, RATE, environment);
      round.awaitWork(run, 30_000);
      boolean damaged = false;
      for (int i = 0; i < STEPS; i++) {
        if (!run.runs()) {
          run = round.run(input, RATE, environment);
          round.awaitWork(run, 30_000);
        }
        switch (random.nextInt(6)) {
          case 0 -> full(round, mounted, disk);
          case 1 -> readOnly(round, mounted, disk);
          case 2 -> slow(round, shim);
          case 3 -> failing(round, shim);
          case 4 -> undeletable(round);
          default -> {
            if (run.kill()) {
              round.fault("kill embedded before a cut file");
            }
            damaged |= cut(round);
          }
        }
        run.awaitExit(300 + random.nextInt(700));
      }
      run.kill();
      round.finish(input, 0, Map.of());
      Promise promise = Promise.all(Round.BOUND_SECONDS).rows(Row.numbers(rows)).unwritable();
      if (damaged) {
        promise = promise.damaged().refusing();
      }
      return round.history(promise, null);
    } finally {
      // What could not be deleted can be again.
      SmallDisk.command("chattr", "-R", "-i", disk.folder().toString());
      if (mounted) {
        round.endAll();
        disk.unmount();
      }
    }
  }

  private static void full(Round round, boolean mounted, SmallDisk disk)
      throws IOException, InterruptedException {
    if (!mounted) {
      return;
    }
    disk.fill();
    round.fault("disk full");
    Thread.sleep(800 + round.random().nextInt(2_500));
    disk.empty();
  }

  private static void readOnly(Round round, boolean mounted, SmallDisk disk)
      throws IOException, InterruptedException {
    // A file that is open for writing forbids the remount; the shim says the same to the process.
    if (mounted && disk.readOnly(true)) {
      round.fault("disk read-only");
      Thread.sleep(500 + round.random().nextInt(1_500));
      disk.readOnly(false);
    } else {
      round.note("the disk is in use, no read-only remount");
    }
  }

  private static void slow(Round round, @Nullable Shim shim) throws InterruptedException {
    if (shim != null) {
      long before = shim.delivered();
      shim.slowSync(100 + round.random().nextInt(900));
      Thread.sleep(1_000 + round.random().nextInt(2_000));
      shim.slowSync(0);
      if (shim.delivered() > before) {
        round.fault("slow sync");
      }
    }
  }

  private static void failing(Round round, @Nullable Shim shim) throws InterruptedException {
    if (shim != null) {
      long before = shim.delivered();
      int errno = List.of(Shim.EIO, Shim.ENOSPC, Shim.EROFS).get(round.random().nextInt(3));
      shim.failWrites(errno);
      Thread.sleep(300 + round.random().nextInt(1_500));
      shim.failWrites(0);
      if (shim.delivered() > before) {
        round.fault(
            switch (errno) {
              case Shim.EIO -> "write fails: I/O error";
              case Shim.ENOSPC -> "write fails: no space";
              default -> "write fails: read-only";
            });
      }
    }
  }

  /** A published version and a nested leftover that cannot be deleted. */
  private static void undeletable(Round round) throws IOException, InterruptedException {
    Path partition = round.modelsRoot().resolve(round.name()).resolve("0");
    if (!Files.isDirectory(partition)) {
      return;
    }
    // Each one anew: what an earlier step made cannot be written again.
    Path nested =
        partition.resolve(".deleting-left" + round.random().nextInt(1 << 20)).resolve("deep");
    Files.createDirectories(nested);
    Files.writeString(nested.resolve("file"), "left");
    Optional<Path> oldest = newest(partition, "v\\d+", true);
    boolean done = SmallDisk.command("chattr", "+i", nested.resolve("file").toString());
    if (oldest.isPresent()) {
      done |= SmallDisk.command("chattr", "+i", oldest.get().resolve("manifest.json").toString());
    }
    // Some file systems know no immutable files; the nested leftover is a fault all the same.
    round.fault(done ? "undeletable entry" : "nested leftover");
  }

  /** Cuts a file in half: a recovery point, the pointer, a version. */
  private static boolean cut(Round round) throws IOException {
    Path models = round.modelsRoot().resolve(round.name()).resolve("0");
    Optional<Path> file =
        switch (round.random().nextInt(3)) {
          case 0 -> newest(round.work().resolve("checkpoints"), "_metadata", false);
          case 1 -> newest(models, "current\\.json", false);
          default -> newest(models, ".*\\.zip|.*\\.bin", false);
        };
    if (file.isEmpty()) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file.get(), StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() / 2);
    }
    round.fault("cut " + file.get().getFileName());
    return true;
  }

  /** The file of such a name that changed last, or the one that changed first. */
  private static Optional<Path> newest(Path root, String name, boolean oldest) throws IOException {
    if (!Files.isDirectory(root)) {
      return Optional.empty();
    }
    try (Stream<Path> all = Files.walk(root, 6)) {
      var byTime =
          java.util.Comparator.comparingLong(
              (Path it) -> {
                try {
                  return Files.getLastModifiedTime(it).toMillis();
                } catch (IOException gone) {
                  return 0;
                }
              });
      return all.filter(it -> String.valueOf(it.getFileName()).matches(name))
          .max(oldest ? byTime.reversed() : byTime);
    }
  }
}
