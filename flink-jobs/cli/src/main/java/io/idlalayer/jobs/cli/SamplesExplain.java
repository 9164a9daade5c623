package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.StageMoves;
import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.report.DecisionFollower;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Asks a running application why a sample has its life stage. */
@Command(
    name = "explain",
    description = {
      "Asks a running application why a sample has its life stage. Prints its facts, its"
          + " score and how strongly each rule fires. For one sample in 64, it also prints the"
          + " recent stage changes that are on the decision topic.",
      "ID is the event's id, or # and the number of the sample."
    })
final class SamplesExplain implements Callable<Integer> {
  private static final int MOVES = 1_000;
  private static final int LONGEST_SECONDS = 86_400;

  @Spec CommandSpec spec;
  @Mixin RequestOptions request;

  @Parameters(index = "1", paramLabel = "ID", description = "Which sample.")
  String id;

  @Option(
      names = "--timeout",
      defaultValue = "30",
      paramLabel = "SECONDS",
      description = "Seconds to wait for the answer (default: ${DEFAULT-VALUE}).")
  int timeoutSeconds;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (timeoutSeconds < 1 || timeoutSeconds > LONGEST_SECONDS) {
      throw new UsageException("--timeout must be between 1 and " + LONGEST_SECONDS);
    }
    ApplicationSettings application = request.read();
    Duration patience = Duration.ofSeconds(timeoutSeconds);
    try (DecisionFollower decisions =
        new DecisionFollower(List.of(application), request.servers, patience)) {
      new LearnerRequest(application, request.servers).explain(id);
      SampleView answer = answer(decisions, application.partitions());
      if (answer == null) {
        throw new IOException(
            "%s did not answer within %d s; is it running?"
                .formatted(application.name(), timeoutSeconds));
      }
      if (!answer.found()) {
        throw new IOException(
            "%s has no sample '%s': it never arrived, or was evicted"
                .formatted(application.name(), id));
      }
      print(answer, spec.commandLine().getOut());
      printMoves(moves(decisions, answer.sampleId()), spec.commandLine().getOut());
    }
    return Terminal.OK;
  }

  /**
   * Returns the answer of the partition that has the sample; if no partition has the sample, an
   * answer without one.
   */
  private @Nullable SampleView answer(DecisionFollower decisions, int partitions) {
    long deadline = System.nanoTime() + Duration.ofSeconds(timeoutSeconds).toNanos();
    SampleView last = null;
    int answers = 0;
    while (answers < partitions && System.nanoTime() < deadline) {
      for (DecisionEvent event : decisions.poll(Duration.ofMillis(200))) {
        SampleView view = event.sample();
        if (view != null && view.asked().equals(SampleView.asked(id))) {
          answers++;
          last = view;
          if (view.found()) {
            return view;
          }
        }
      }
    }
    return last;
  }

  /** A move of the sample between life stages, with its time in epoch milliseconds. */
  private record Moved(long atMillis, StageMoves.Move move) {}

  /**
   * Returns the newest moves of a sample between life stages that the decision topic has, oldest
   * first.
   */
  private static List<Moved> moves(DecisionFollower decisions, long sampleId) throws IOException {
    ArrayDeque<Moved> moved = new ArrayDeque<>();
    decisions.history(
        event -> {
          StageMoves moves = event.moves();
          if (moves != null) {
            moves.traced().stream()
                .filter(move -> move.sampleId() == sampleId)
                .forEach(move -> moved.add(new Moved(event.atMillis(), move)));
          }
          while (moved.size() > MOVES) {
            moved.removeFirst();
          }
        });
    return List.copyOf(moved);
  }

  private static void print(SampleView sample, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "sample #%d: %s%s; score %.4f when it was last evaluated, %.4f by what is known now%n",
        sample.sampleId(),
        sample.stage(),
        sample.labeled() ? "" : ", waits for its label",
        sample.score(),
        sample.scoreNow());
    out.printf(
        Locale.ROOT,
        "  evaluated %d times, last in update %d; loss %s%n",
        sample.evaluations(),
        sample.lastUpdate(),
        sample.loss() < 0 ? "not measured" : String.format(Locale.ROOT, "%.4f", sample.loss()));
    out.println("  facts:");
    sample
        .facts()
        .forEach((name, value) -> out.printf(Locale.ROOT, "    %-14s %.4f%n", name, value));
    if (!sample.idOccurrences().isEmpty()) {
      out.println("  ids, and how often they came in training:");
      sample
          .idOccurrences()
          .forEach(
              (name, count) ->
                  out.printf(
                      Locale.ROOT, "    %-14s %,d%s%n", name, count, count == 0 ? ", no row" : ""));
    }
    if (!sample.strengths().isEmpty()) {
      out.println("  rules, by how strongly they fire:");
      sample.strengths().entrySet().stream()
          .sorted((a, b) -> Double.compare(b.getValue(), a.getValue()))
          .forEach(
              rule -> out.printf(Locale.ROOT, "    %.3f  %s%n", rule.getValue(), rule.getKey()));
    }
  }

  private static void printMoves(List<Moved> moves, PrintWriter out) {
    out.println("  moves on the decision topic:");
    for (Moved moved : moves) {
      out.printf(
          Locale.ROOT,
          "    %s  %s -> %s (%s, score %.4f)%n",
          Instant.ofEpochMilli(moved.atMillis()),
          moved.move().before(),
          moved.move().after(),
          moved.move().cause(),
          moved.move().score());
    }
  }
}
