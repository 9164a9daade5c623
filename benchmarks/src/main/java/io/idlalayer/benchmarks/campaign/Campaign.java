package io.idlalayer.benchmarks.campaign;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.benchmarks.campaign.check.Checker;
import io.idlalayer.benchmarks.campaign.check.History;
import io.idlalayer.benchmarks.campaign.check.Invariant;
import io.idlalayer.benchmarks.campaign.check.Observed;
import io.idlalayer.benchmarks.campaign.check.Row;
import io.idlalayer.benchmarks.campaign.check.Violation;
import io.idlalayer.benchmarks.campaign.nemesis.Round;
import io.idlalayer.benchmarks.campaign.process.AppFile;
import io.idlalayer.benchmarks.campaign.process.Broker;
import io.idlalayer.benchmarks.campaign.process.Ground;
import io.idlalayer.benchmarks.campaign.process.Product;
import io.idlalayer.benchmarks.campaign.process.Shim;
import io.idlalayer.benchmarks.campaign.process.Victim;
import io.idlalayer.benchmarks.measure.WorkFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Rounds one after another against one build, with one broker. Each result is written at once, so
 * that a campaign that was cut off goes on where it stood.
 */
final class Campaign implements AutoCloseable {
  static final String RESULTS = "results.jsonl";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long WARM_UP_MILLIS = 180_000;

  private final Path work;
  private final PrintWriter out;
  private final Ground ground;

  /**
   * Starts a broker and tries the build once without faults.
   *
   * @param work a folder of the campaign's own
   * @throws IOException if the build does not even run without faults
   */
  Campaign(Path lib, Path work, PrintWriter out) throws IOException, InterruptedException {
    this.work = work;
    this.out = out;
    Path state = work.resolve("state");
    Files.createDirectories(state);
    Product product = new Product(lib, state);
    Path library = Shim.compile(state).orElse(null);
    Shim shim =
        library == null
            ? null
            : Shim.of(library, state.resolve("broker.shim"), work.resolve("none"));
    Path folder = work.resolve("broker");
    WorkFolder.delete(folder);
    Files.createDirectories(folder);
    Broker broker = new Broker(product, folder, shim == null ? Map.of() : shim.environment());
    ground = new Ground(product, broker, library, shim);
    try {
      warmUp();
    } catch (IOException | InterruptedException | RuntimeException failed) {
      broker.close();
      throw failed;
    }
  }

  /** A run without faults; it leaves an archive of classes that makes later starts quick. */
  private void warmUp() throws IOException, InterruptedException {
    Path folder = work.resolve("warm-up");
    WorkFolder.delete(folder);
    try (Round round = new Round(ground, folder, "warm" + System.currentTimeMillis(), 1)) {
      round.application(AppFile.text(round.name(), 1));
      Path input = round.input("events.csv", Row.stream(1, 1, 300, false));
      Victim run =
          ground
              .product()
              .idlaArchiving(
                  folder.resolve("run.log"),
                  ground
                      .product()
                      .run(
                          round.application(),
                          round.work(),
                          ground.broker().servers(),
                          input,
                          0,
                          round.report()));
      round.track(run);
      OptionalInt code = run.awaitExit(WARM_UP_MILLIS);
      if (code.isEmpty() || code.getAsInt() != 0) {
        throw new IOException("the build does not even run without faults: " + run.tail());
      }
      round.ended(0, "", 0);
      round.watchModels();
      Checker.Findings findings =
          Checker.check(round.history(History.Promise.all(Round.BOUND_SECONDS), null));
      findings
          .violations()
          .forEach(it -> out.println("without faults: " + it.invariant() + ": " + it.what()));
      out.printf("warm-up: %.1f s%n", run.seconds());
      out.flush();
    }
    WorkFolder.delete(folder);
  }

  @FunctionalInterface
  interface Play {
    Observed on(Round round) throws IOException, InterruptedException;
  }

  /** Plays a round, checks it, writes its result, and deletes its folder if all held. */
  RoundResult play(String nemesis, int number, long seed, Play play)
      throws IOException, InterruptedException {
    String name =
        "%s%d-%s"
            .formatted(shortName(nemesis), number, Long.toString(System.nanoTime() % 46_656, 36));
    Path folder = work.resolve("rounds").resolve(nemesis + "-" + number);
    WorkFolder.delete(folder);
    if (ground.broker().restartIfSilent()) {
      out.println("the campaign's own broker did not answer; it was started again");
    }
    long begin = System.nanoTime();
    List<Violation> violations = new ArrayList<>();
    Map<Invariant, Integer> checks = new TreeMap<>();
    Round round = new Round(ground, folder, name, seed);
    try (round) {
      Observed seen = play.on(round);
      Checker.Findings findings = seen.check();
      violations.addAll(round.own());
      violations.addAll(findings.violations());
      checks.putAll(findings.checks());
      seen.remarks().forEach(round::note);
      if (!violations.isEmpty()) {
        JSON.writerWithDefaultPrettyPrinter()
            .writeValue(folder.resolve("history.json").toFile(), seen);
      }
    } catch (IOException | RuntimeException failed) {
      round.note("the round itself failed: " + failed);
    }
    RoundResult result =
        new RoundResult(
            nemesis,
            number,
            seed,
            round.faults(),
            checks,
            violations,
            round.recoveries(),
            round.notes().stream().distinct().toList(),
            (System.nanoTime() - begin) / 1e9,
            violations.isEmpty() ? "" : folder.toString());
    Files.writeString(
        work.resolve(RESULTS),
        JSON.writeValueAsString(result) + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    show(result);
    if (violations.isEmpty() && !checks.isEmpty()) {
      WorkFolder.delete(folder);
    }
    return result;
  }

  private static String shortName(String nemesis) {
    return nemesis
        .substring(0, Math.min(6, nemesis.length()))
        .toLowerCase(java.util.Locale.ROOT)
        .replace('_', '-');
  }

  private void show(RoundResult result) {
    out.printf(
        "%-10s %3d  %5.1f s  %2d faults  %3d checks  %s%n",
        result.nemesis(),
        result.number(),
        result.seconds(),
        result.faults().values().stream().mapToInt(Integer::intValue).sum(),
        result.checks().values().stream().mapToInt(Integer::intValue).sum(),
        result.violations().isEmpty() ? "" : "VIOLATED " + result.violations());
    result.notes().forEach(note -> out.println("           " + note));
    out.flush();
  }

  /** What earlier starts of the same campaign wrote. */
  static List<RoundResult> earlier(Path work) throws IOException {
    List<RoundResult> results = new ArrayList<>();
    Path file = work.resolve(RESULTS);
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        try {
          results.add(JSON.readValue(line, RoundResult.class));
        } catch (com.fasterxml.jackson.core.JsonProcessingException cutOff) {
          // The campaign was killed while it wrote; that round is played again.
          // Nothing was read.
        }
      }
    }
    return results;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    ground.broker().close();
    WorkFolder.delete(work.resolve("broker"));
  }
}
