package io.idlalayer.benchmarks.lending;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.benchmarks.measure.Experiment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Memory that another process lends, EMULATED: all processes are on this machine. First the speed
 * and the processor time of copies to and from a loan, beside sockets that copy the same blocks and
 * do nothing else; then which place the product uses when the network is loopback, and when it is
 * one of 1 Gbit/s.
 */
@Command(name = "loan", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class LoanExperiment implements Callable<Integer> {
  @Option(names = "--bytes", paramLabel = "N", description = "Bytes of the loan.")
  int bytes = 128 << 20;

  @Option(names = "--block-bytes", paramLabel = "N", description = "Bytes of a copy.")
  int blockBytes = 1 << 20;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often a turn writes and reads all of the loan.")
  int rounds = 4;

  @Option(names = "--repeats", paramLabel = "N", description = "Turns of which medians are taken.")
  int repeats = 9;

  @Option(names = "--steps", paramLabel = "N", description = "Steps of each training.")
  int steps = 20;

  @Option(
      names = "--slow-directory",
      paramLabel = "DIR",
      description = "Where the slow device's file lies, on the disk whose speed is compared.")
  Path slowDirectory = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(names = "--report", paramLabel = "FILE.json", description = "Writes each turn as JSON.")
  @Nullable Path report;

  public static void main(String[] options) {
    Experiment.run(new LoanExperiment(), options);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<CopySpeeds.Turn> turns = new CopySpeeds(bytes, blockBytes, rounds, repeats).measure();
    List<Object> choices = new LinkChoices(slowDirectory, steps).measure();
    if (report != null) {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("turns", turns);
      all.put("choices", choices);
      new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(report.toFile(), all);
    }
    return 0;
  }
}
