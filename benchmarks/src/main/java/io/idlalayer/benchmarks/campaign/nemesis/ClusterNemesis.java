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
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/** Kills and pauses of the processes of a local cluster: JobManager, TaskManager, broker. */
final class ClusterNemesis implements Nemesis {
  private static final int RATE = 200;
  private static final double BOUND_SECONDS = 300;
  private static final long COMMAND_MILLIS = 180_000;
  private static final int SUBMITS = 12;
  private static final int PAUSES = 8;
  private static final Pattern BROKER = Pattern.compile("broker at (\\S+), JobManager");
  private static final List<String> ROLES = List.of("jobmanager", "taskmanager-1", "broker");

  @Override
  public History play(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    round.application(AppFile.text(round.name(), 1));
    List<String> rows = Row.stream(random.nextLong(), 1, 2_500, true);
    Path input = round.input("events.csv", rows);
    round.watchModels();
    try {
      start(round);
      int kills = 2 + random.nextInt(3);
      for (int i = 0; i < kills; i++) {
        Victim submit = submit(round, input, RATE);
        submit.awaitText(Round.WORKING, 40_000);
        for (int pause = 0; pause < PAUSES && submit.runs(); pause++) {
          String role = ROLES.get(random.nextInt(ROLES.size()));
          if (Victim.pause(pid(round, role), 50 + random.nextInt(500))) {
            round.fault("pause " + plain(role));
          }
          submit.awaitExit(200 + random.nextInt(1_300));
        }
        if (!submit.runs()) {
          break;
        }
        String role = ROLES.get(random.nextInt(10) < 2 ? 2 : random.nextInt(2));
        if (Victim.signal("KILL", pid(round, role))) {
          round.fault("kill " + plain(role));
        }
        long begin = System.nanoTime();
        start(round);
        round.recoveries().add((System.nanoTime() - begin) / 1e9);
        if (random.nextInt(2) == 0) {
          // The one who follows dies as well; otherwise it goes on if it can.
          submit.kill();
        } else {
          submit.awaitExit(random.nextInt(10_000));
          submit.kill();
        }
      }
      finish(round, input);
      return round.history(Promise.all(BOUND_SECONDS).rows(Row.numbers(rows)), null);
    } finally {
      Victim stop = round.start("cluster", Map.of(), round.product().stopCluster(round.work()));
      stop.awaitExit(COMMAND_MILLIS);
    }
  }

  private static String plain(String role) {
    return role.startsWith("taskmanager") ? "taskmanager" : role;
  }

  private static Victim submit(Round round, Path input, int rate) throws IOException {
    return round.start(
        "submit",
        Map.of(),
        round.product().submit(round.application(), round.work(), input, rate, round.report()));
  }

  private static void start(Round round) throws IOException, InterruptedException {
    Victim start = round.start("cluster", Map.of(), round.product().startCluster(round.work()));
    OptionalInt code = start.awaitExit(COMMAND_MILLIS);
    if (code.isEmpty() || code.getAsInt() != 0) {
      throw new IOException("the cluster does not start: " + start.tail());
    }
    var matcher = BROKER.matcher(start.output());
    if (matcher.find()) {
      round.clusterServers(matcher.group(1));
    }
  }

  private static long pid(Round round, String role) throws IOException {
    Path file = round.work().resolve("cluster").resolve(role + ".pid");
    return Long.parseLong(Files.readString(file).trim().split(" ", -1)[0]);
  }

  /** Submits until it is learned; one that is told that the job runs already asks again. */
  private static void finish(Round round, Path input) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    Files.deleteIfExists(round.report());
    String said = "";
    int code = -1;
    for (int i = 0; i < SUBMITS; i++) {
      Victim submit = submit(round, input, 0);
      double left = BOUND_SECONDS - (System.nanoTime() - begin) / 1e9;
      OptionalInt ended = submit.awaitExit(Math.max(1, (long) (left * 1000)));
      said = submit.tail();
      code = ended.orElse(-1);
      submit.kill();
      if (ended.isEmpty() || code == 0) {
        break;
      }
      Thread.sleep(3_000);
    }
    round.ended(code, said, (System.nanoTime() - begin) / 1e9);
  }
}
