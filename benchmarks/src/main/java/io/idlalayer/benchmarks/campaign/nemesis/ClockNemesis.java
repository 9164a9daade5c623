package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.Shim;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Steps of the wall clock while a run learns: a second, an hour, a day, forwards and back. */
final class ClockNemesis implements Nemesis {
  private static final int RATE = 150;
  private static final int STEPS = 12;
  private static final List<Long> SECONDS = List.of(1L, 3_600L, 86_400L);

  @Override
  public History play(Round round) throws IOException, InterruptedException {
    try {
      return steps(round);
    } finally {
      round.brokerClock(0);
    }
  }

  private static History steps(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    round.application(
        AppFile.text(round.name(), 1)
            .replace("{rule: count, count: 100, max-wait: 2s}", rule(random.nextInt(3))));
    List<String> rows = Row.stream(random.nextLong(), 1, 1_500, true);
    Path input = round.input("events.csv", rows);
    round.watchModels();
    Shim shim = round.shim("run", round.work());
    Map<String, String> environment = shim == null ? Map.of() : shim.environment();
    Victim run = round.run(input, RATE, environment);
    round.awaitWork(run, 30_000);
    long offset = 0;
    for (int i = 0; i < STEPS && shim != null && run.runs(); i++) {
      long step = SECONDS.get(random.nextInt(SECONDS.size())) * (random.nextBoolean() ? 1 : -1);
      offset += step;
      // One machine has one clock: the broker's steps too.
      shim.clock(offset);
      round.brokerClock(offset);
      round.fault("clock %+d s".formatted(step));
      run.awaitExit(300 + random.nextInt(900));
    }
    // The clock stays where it is: what learns must not wait for it to come back.
    Promise promise = Promise.all(Round.BOUND_SECONDS).rows(Row.numbers(rows));
    long begin = System.nanoTime();
    var code = run.awaitExit((long) (Round.BOUND_SECONDS * 1000));
    if (code.isPresent() && History.learned(code.getAsInt())) {
      round.ended(code.getAsInt(), "", (System.nanoTime() - begin) / 1e9);
      return round.history(promise, null);
    }
    if (code.isEmpty()) {
      round.ended(-1, run.tail(), (System.nanoTime() - begin) / 1e9);
      run.kill();
      return round.history(promise, null);
    }
    round.note("ended with exit code " + code.getAsInt() + " and was started again");
    round.finish(input, 0, environment);
    return round.history(promise, null);
  }

  private static String rule(int which) {
    return switch (which) {
      case 0 -> "{rule: count, count: 100, max-wait: 2s}";
      case 1 -> "{rule: periodic, period: 500ms}";
      default -> "{rule: adaptive}";
    };
  }
}
