package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.History.Promise;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.FaultyActivation;
import io.idlalayer.benchmarks.campaign.process.Victim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Trainings that throw, run out of native memory, produce NaN, kill the process, are slow or stand
 * still, by an activation function of the network that does so when it is told to.
 */
final class TrainerNemesis implements Nemesis {
  private static final int RATE = 150;
  private static final int STEPS = 4;
  private static final List<FaultyActivation.Mode> MODES =
      List.of(
          FaultyActivation.Mode.EXCEPTION,
          FaultyActivation.Mode.OUT_OF_MEMORY,
          FaultyActivation.Mode.NOT_A_NUMBER,
          FaultyActivation.Mode.SEGMENTATION,
          FaultyActivation.Mode.SLOW,
          FaultyActivation.Mode.HANG);

  @Override
  public History play(Round round) throws IOException, InterruptedException {
    SplittableRandom random = round.random();
    round.application(AppFile.faulty(round.name(), round.folder()));
    List<String> rows = Row.stream(random.nextLong(), 1, 900, true);
    Path input = round.input("events.csv", rows);
    Path control = round.folder().resolve("trainer");
    Files.writeString(control, "NONE");
    Map<String, String> environment = Map.of("IDLA_FAULT_TRAINER", control.toString());
    round.watchModels();
    Victim run = round.run(input, RATE, environment);
    round.awaitWork(run, 30_000);
    for (int i = 0; i < STEPS; i++) {
      if (!run.runs()) {
        run = round.run(input, RATE, environment);
        round.awaitWork(run, 30_000);
      }
      FaultyActivation.Mode mode = MODES.get(random.nextInt(MODES.size()));
      set(control, mode);
      round.fault("trainer: " + mode.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' '));
      run.awaitExit(400 + random.nextInt(1_600));
      set(control, FaultyActivation.Mode.NONE);
      run.awaitExit(300 + random.nextInt(700));
    }
    run.kill();
    round.finish(input, 0, environment);
    return round.history(Promise.all(Round.BOUND_SECONDS).rows(Row.numbers(rows)), null);
  }

  static void set(Path control, FaultyActivation.Mode mode) throws IOException {
    Path staged = control.resolveSibling("trainer.new");
    Files.writeString(staged, mode.name());
    Files.move(staged, control, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }
}
