package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.quality.Contender.Fitting;
import io.idlalayer.datacontroller.api.StageCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A CSV file with one line for each run. Lines are only appended. */
final class RunFile {
  private static final String HEADER =
      "stream,flips,duplicates,policy,rule,batch,budget,mini_batch,epochs,rate,seed,events,scored,accuracy,"
          + "given_accuracy,log_loss,given_log_loss,train_cpu_s,train_wall_s,choice_cpu_s,updates,"
          + "trained_rows,replayed_rows,dropped,new_loss,replayed_loss,replayed_age,"
          + "replayed_wrong,stages_newborn/mature/preserve/discard,"
          + "accuracy_of_20_parts";
  private static final int COLUMNS = HEADER.split(",").length;

  private RunFile() {}

  /** A run with its outcome. */
  record Run(RunKey key, RunOutcome outcome) {}

  /**
   * Reads all runs; an empty list if the file does not exist. If a process was killed, the last
   * line can be incomplete. This method skips an incomplete last line, and {@link #append} removes
   * it.
   *
   * @throws IOException with the number of the line that is not a run
   */
  static List<Run> read(Path file) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    String text = Files.readString(file);
    String[] lines = text.split("\n");
    int whole = text.endsWith("\n") ? lines.length : lines.length - 1;
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < whole; i++) {
      if (lines[i].equals(HEADER)) {
        continue;
      }
      try {
        runs.add(decode(lines[i]));
      } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException broken) {
        throw new IOException("%s line %d is not a run: %s".formatted(file, i + 1, broken), broken);
      }
    }
    return runs;
  }

  /** Appends a run. If the file is new, writes the header first. */
  static void append(Path file, Run run) throws IOException {
    boolean fresh = !Files.exists(file);
    if (!fresh) {
      removeTornLine(file);
    }
    String line = (fresh ? HEADER + "\n" : "") + encode(run) + "\n";
    Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static void removeTornLine(Path file) throws IOException {
    String text = Files.readString(file);
    if (!text.endsWith("\n")) {
      Files.writeString(file, text.substring(0, text.lastIndexOf('\n') + 1));
    }
  }

  private static String encode(Run run) {
    RunKey key = run.key();
    RunOutcome outcome = run.outcome();
    Tally.Quality quality = outcome.quality();
    RunCosts costs = outcome.costs();
    ReplayProfile replay = outcome.replay();
    return String.format(
        Locale.ROOT,
        "%s,%s,%s,%s,%s,%d,%d,%d,%d,%s,%d,%d,%d,%.6f,%.6f,%.6f,%.6f,%.4f,%.4f,%.4f,%d,%d,%d,%d,%.4f,%.4f,%.1f,%.4f,%s,%s",
        key.stream(),
        key.flips(),
        key.duplicates(),
        key.policy(),
        key.rule(),
        key.batch(),
        key.budget(),
        key.fitting().miniBatch(),
        key.fitting().epochs(),
        key.fitting().learningRate(),
        key.seed(),
        outcome.events(),
        outcome.scored(),
        quality.trueAccuracy(),
        quality.givenAccuracy(),
        quality.trueLogLoss(),
        quality.givenLogLoss(),
        costs.trainCpuSeconds(),
        costs.trainWallSeconds(),
        costs.choiceCpuSeconds(),
        costs.updates(),
        costs.trainedRows(),
        costs.replayedRows(),
        outcome.dropped(),
        replay.newLoss(),
        replay.replayedLoss(),
        replay.replayedAge(),
        replay.replayedWrong(),
        stages(outcome.stages()),
        Arrays.stream(quality.parts())
            .mapToObj(each -> String.format(Locale.ROOT, "%.4f", each))
            .collect(Collectors.joining(";")));
  }

  private static String stages(List<StageCounts> stages) {
    return stages.stream()
        .map(
            each ->
                each.newborn() + "/" + each.mature() + "/" + each.preserve() + "/" + each.discard())
        .collect(Collectors.joining(";"));
  }

  private static Run decode(String line) {
    String[] f = line.split(",", -1);
    if (f.length != COLUMNS) {
      throw new IllegalArgumentException("%d fields, not %d".formatted(f.length, COLUMNS));
    }
    RunKey key =
        new RunKey(
            f[0],
            Double.parseDouble(f[1]),
            Double.parseDouble(f[2]),
            f[3],
            f[4],
            Integer.parseInt(f[5]),
            Integer.parseInt(f[6]),
            new Fitting(Integer.parseInt(f[7]), Integer.parseInt(f[8]), Double.parseDouble(f[9])),
            Long.parseLong(f[10]));
    Tally.Quality quality =
        new Tally.Quality(
            Double.parseDouble(f[13]),
            Double.parseDouble(f[14]),
            Double.parseDouble(f[15]),
            Double.parseDouble(f[16]),
            Arrays.stream(f[29].split(";")).mapToDouble(Double::parseDouble).toArray());
    RunCosts costs =
        new RunCosts(
            Double.parseDouble(f[17]),
            Double.parseDouble(f[18]),
            Double.parseDouble(f[19]),
            Integer.parseInt(f[20]),
            Long.parseLong(f[21]),
            Long.parseLong(f[22]));
    int events = Integer.parseInt(f[11]);
    int scored = Integer.parseInt(f[12]);
    int dropped = Integer.parseInt(f[23]);
    ReplayProfile replay =
        new ReplayProfile(
            Double.parseDouble(f[24]),
            Double.parseDouble(f[25]),
            Double.parseDouble(f[26]),
            Double.parseDouble(f[27]));
    return new Run(
        key, new RunOutcome(events, scored, quality, costs, dropped, replay, decodeStages(f[28])));
  }

  private static List<StageCounts> decodeStages(String text) {
    List<StageCounts> stages = new ArrayList<>();
    for (String each : text.isEmpty() ? new String[0] : text.split(";")) {
      String[] counts = each.split("/");
      stages.add(
          new StageCounts(
              Integer.parseInt(counts[0]),
              Integer.parseInt(counts[1]),
              Integer.parseInt(counts[2]),
              Integer.parseInt(counts[3])));
    }
    return stages;
  }
}
