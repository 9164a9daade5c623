package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.tensors.AblatedPolicy.Part;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures the benefit of each part of the improved policy. Prints the time of a step without each
 * part, relative to the time with all tensors on the fast device. Replays recorded steps under a
 * virtual clock. SIMULATED. Arguments: bytes per second that DRAM reads, the share of the peak that
 * is fast, then recorded steps ({@code idla bench tensors --record}).
 */
public final class AblationExperiment {
  private AblationExperiment() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 3) {
      throw new IllegalArgumentException("arguments: BYTES-PER-SECOND SHARE FILE...");
    }
    double bytesPerSecond = Double.parseDouble(args[0]);
    double share = Double.parseDouble(args[1]);
    System.out.print("| step |");
    Arrays.stream(Part.values()).forEach(part -> System.out.printf(" %s |", part.title()));
    System.out.println("\n|---|" + "---|".repeat(Part.values().length));
    for (String file : Arrays.asList(args).subList(2, args.length)) {
      Path path = Path.of(file);
      TaskGraph graph = TaskGraphFile.read(path);
      SimulatedStep step = SimulatedStep.of(graph, bytesPerSecond);
      long fastBytes = FastBudget.aligned((long) (share * graph.peakBytes()));
      StringBuilder row = new StringBuilder("| " + path.getFileName() + " |");
      for (Part part : Part.values()) {
        AblatedPolicy policy = new AblatedPolicy(ComparedPolicy.CACHED_ARRAYS.create(), part);
        double seconds = step.under(policy, fastBytes).seconds();
        row.append(String.format(Locale.ROOT, " %.3f |", seconds / (graph.fastNanos() / 1e9)));
      }
      System.out.println(row);
    }
  }
}
