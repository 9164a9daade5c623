package io.idlalayer.benchmarks.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.benchmarks.cluster.ClusterSim.Result;
import io.idlalayer.benchmarks.measure.Experiment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * E7.1 to E7.3 of the source, SIMULATED: time, locality and bandwidth of UniRedl and of its rivals
 * on four nodes, with a link of sockets and one of 1 Gbit/s.
 */
@Command(name = "cluster", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class ClusterExperiment implements Callable<Integer> {
  private static final double GIB = 1L << 30;

  @Option(
      names = "--node-gib",
      split = ",",
      paramLabel = "N",
      description = "GiB of the blocks of each node.")
  List<Double> nodeGib = List.of(60.0, 60.0, 60.0, 36.0);

  @Option(names = "--block-mib", paramLabel = "N", description = "MiB of a block.")
  int blockMib = 16;

  @Option(names = "--report", paramLabel = "FILE.json", description = "Writes each run as JSON.")
  @Nullable Path report;

  private final List<Map<String, Object>> rows = new ArrayList<>();

  /** The compared placements. */
  enum Contender {
    NUMA(RivalPlacements.FirstTouch::new),
    ANB(RivalPlacements.AutomaticBalancing::new),
    BMPM(RivalPlacements.BandwidthShares::new),
    OIM(RivalPlacements.PageOrder::new),
    UNIREDL(() -> new UnifiedPlacement(true));

    private final Supplier<ClusterPolicy> policy;

    Contender(Supplier<ClusterPolicy> policy) {
      this.policy = policy;
    }

    ClusterPolicy policy() {
      return policy.get();
    }
  }

  private enum Link {
    SOCKET(Medium.SOCKET),
    GIGABIT(Medium.GIGABIT);

    private final Medium medium;

    Link(Medium medium) {
      this.medium = medium;
    }
  }

  public static void main(String[] options) {
    Experiment.run(new ClusterExperiment(), options);
  }

  @Override
  public Integer call() throws IOException {
    for (Link link : Link.values()) {
      Map<ClusterWorkload, Map<Contender, Result>> all = new LinkedHashMap<>();
      for (ClusterWorkload workload : ClusterWorkload.values()) {
        all.put(workload, run(link, workload));
      }
      print(link, "seconds", all, Result::seconds, 1, true);
      print(link, "locality in the first 25 s, %", all, Result::earlyLocality, 100, true);
      print(link, "accessed GB/s", all, Result::bytesPerNano, 1, true);
      print(link, "moved GB", all, result -> result.movedBytes() / 1e9, 1, false);
    }
    if (report != null) {
      new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(report.toFile(), rows);
    }
    return 0;
  }

  private Map<Contender, Result> run(Link link, ClusterWorkload workload) {
    long[] bytes = nodeGib.stream().mapToLong(gib -> (long) (gib * GIB)).toArray();
    ClusterTrace trace = workload.trace(bytes, (long) blockMib << 20);
    Map<Contender, Result> results = new LinkedHashMap<>();
    for (Contender contender : Contender.values()) {
      Result result = ClusterSim.run(trace, ClusterSpec.source(link.medium), contender.policy());
      results.put(contender, result);
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("link", link);
      row.put("workload", workload);
      row.put("contender", contender);
      row.put("result", result);
      rows.add(row);
    }
    return results;
  }

  private static void print(
      Link link,
      String what,
      Map<ClusterWorkload, Map<Contender, Result>> all,
      ToDoubleFunction<Result> value,
      double factor,
      boolean ratios) {
    System.out.printf("%n%s, %s (SIMULATED)%n%n| workload ", link, what);
    for (Contender contender : Contender.values()) {
      System.out.printf("| %s ", contender);
    }
    System.out.printf("|%n|%s%n", "---|".repeat(Contender.values().length + 1));
    Map<Contender, Double> sums = new EnumMap<>(Contender.class);
    all.forEach(
        (workload, results) -> {
          System.out.printf("| %s ", workload);
          double own = value.applyAsDouble(results.get(Contender.UNIREDL));
          for (Contender contender : Contender.values()) {
            double rival = value.applyAsDouble(results.get(contender));
            sums.merge(contender, 100 * (own / rival - 1), Double::sum);
            System.out.printf("| %.1f ", factor * rival);
          }
          System.out.println("|");
        });
    if (ratios) {
      System.out.print("| UniRedl against it, mean of the workloads, % ");
      sums.remove(Contender.UNIREDL);
      sums.values().forEach(sum -> System.out.printf("| %+.1f ", sum / all.size()));
      System.out.println("| |");
    }
  }
}
