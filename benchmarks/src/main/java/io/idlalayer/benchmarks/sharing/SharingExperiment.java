package io.idlalayer.benchmarks.sharing;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.benchmarks.sharing.SharingWorker.Measured;
import io.idlalayer.middleware.cache.policy.PolicyName;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * E4.1 to E4.6 of the source with processes of their own: k-means, singular values and PageRank as
 * references to blocks, under caches of each process (isolated) and under caches that the processes
 * share, with equal bytes altogether. Hits, locality and memory are MEASURED, times EMULATED: a
 * miss waits for {@code --miss-micros}. The last table kills a process and starts it again.
 *
 * <p>Locality is the share of blocks that were used again after they had been put into a cache.
 */
@Command(name = "sharing", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class SharingExperiment implements Callable<Integer> {
  private static final int FIRST_ITERATIONS = 1;

  @Option(names = "--processes", split = ",", paramLabel = "N", description = "Processes.")
  List<Integer> processes = List.of(2, 4);

  @Option(
      names = "--capacities",
      split = ",",
      paramLabel = "PERCENT",
      description = "Bytes of all caches together, in percent of all blocks.")
  List<Integer> capacities = List.of(1, 2, 4, 8, 16, 32, 64);

  @Option(names = "--workloads", split = ",", paramLabel = "NAME", description = "Workloads.")
  List<BlockWorkload> workloads = List.of(BlockWorkload.values());

  @Option(names = "--blocks", paramLabel = "N", description = "Blocks that only one process reads.")
  int blocks = 32_768;

  @Option(names = "--block-bytes", paramLabel = "N", description = "Bytes of a block.")
  int blockBytes = 4096;

  @Option(names = "--iterations", paramLabel = "N", description = "Measured iterations.")
  int iterations = 10;

  @Option(names = "--miss-micros", paramLabel = "N", description = "Time of a read of the store.")
  long missMicros = 50;

  @Option(names = "--repeats", paramLabel = "N", description = "Runs of which medians are taken.")
  int repeats = 5;

  @Option(names = "--seed", paramLabel = "N", description = "Seed of the references.")
  long seed = 1;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Folder in which a folder for the caches is made and removed.")
  Path directory = Path.of("/dev/shm");

  @Option(names = "--report", paramLabel = "FILE.json", description = "Writes each run as JSON.")
  @Nullable Path report;

  private final ObjectMapper json = new ObjectMapper();
  private final List<Map<String, Object>> runs = new ArrayList<>();

  /** The compared caches. */
  private enum Contender {
    ISOLATED_LRU(false, PolicyName.LRU),
    ISOLATED_NRD(false, PolicyName.PAPER),
    ISOLATED_ADAPTIVE(false, PolicyName.ADAPTIVE),
    SHARED_LRU(true, PolicyName.LRU),
    SHARED_NRD(true, PolicyName.PAPER),
    SHARED_ADAPTIVE(true, PolicyName.ADAPTIVE);

    private final boolean shared;
    private final PolicyName policy;

    Contender(boolean shared, PolicyName policy) {
      this.shared = shared;
      this.policy = policy;
    }
  }

  public static void main(String[] options) {
    Experiment.run(new SharingExperiment(), options);
  }

  @Override
  public Integer call() throws IOException {
    for (BlockWorkload workload : workloads) {
      for (int count : processes) {
        for (int percent : capacities) {
          compare(workload, count, percent);
        }
      }
      killed(workload);
    }
    if (report != null) {
      json.writerWithDefaultPrettyPrinter().writeValue(report.toFile(), runs);
    }
    return 0;
  }

  private long bytesOfEach(int count, int percent) {
    long all = (long) (blocks + BlockWorkload.SHARED_BLOCKS) * blockBytes;
    return Math.max(1L << 16, all * percent / 100 / count);
  }

  private SharingTask task(
      @Nullable Path home,
      Contender contender,
      BlockWorkload workload,
      int process,
      int count,
      long bytes) {
    return new SharingTask(
        contender.shared && home != null ? home.toString() : null,
        "sharing",
        contender.policy,
        bytes,
        workload,
        process,
        count,
        blocks,
        blockBytes,
        missMicros,
        seed);
  }

  private void compare(BlockWorkload workload, int count, int percent) throws IOException {
    System.out.printf(
        "%n%s, %d processes, %d %% of the blocks (hits MEASURED, seconds EMULATED)%n"
            + "| cache | hit rate | of neighbours | locality | seconds | memory beside payloads |"
            + " own hit, ns | neighbour's hit, ns |%n|---|---|---|---|---|---|---|---|%n",
        workload, count, percent);
    for (Contender contender : Contender.values()) {
      List<List<Measured>> all = new ArrayList<>();
      for (int repeat = 0; repeat < repeats; repeat++) {
        all.add(run(contender, workload, count, bytesOfEach(count, percent)));
      }
      print(contender.name(), all);
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("workload", workload);
      row.put("processes", count);
      row.put("percent", percent);
      row.put("cache", contender);
      row.put("runs", all);
      runs.add(row);
    }
    // What all processes would have with one cache in one process.
    print("ONE_PROCESS_ADAPTIVE", List.of(alone(workload, count, percent)));
  }

  /** Runs the references of all processes in one process after another one's, iteration by one. */
  private List<Measured> alone(BlockWorkload workload, int count, int percent) throws IOException {
    List<Measured> one = new ArrayList<>();
    try (Children children = new Children()) {
      children.start(
          task(
              null,
              Contender.ISOLATED_ADAPTIVE,
              workload,
              0,
              1,
              bytesOfEach(count, percent) * count));
      children.work(FIRST_ITERATIONS);
      one.addAll(children.work(iterations));
    }
    return one;
  }

  private List<Measured> run(Contender contender, BlockWorkload workload, int count, long bytes)
      throws IOException {
    Path home = Files.createTempDirectory(directory, "idla-sharing-");
    try (Children children = new Children()) {
      for (int process = 0; process < count; process++) {
        children.start(task(home, contender, workload, process, count, bytes));
      }
      children.work(FIRST_ITERATIONS);
      return children.work(iterations);
    } finally {
      delete(home);
    }
  }

  /** Hit rate of the first update after kill -9, beside that of a process with an empty cache. */
  private void killed(BlockWorkload workload) throws IOException {
    Path home = Files.createTempDirectory(directory, "idla-sharing-");
    long bytes = bytesOfEach(1, 50);
    SharingTask task = task(home, Contender.SHARED_ADAPTIVE, workload, 0, 1, bytes);
    try {
      Measured before;
      try (Children children = new Children()) {
        children.start(task);
        children.work(FIRST_ITERATIONS);
        before = children.work(1).get(0);
      }
      Measured after = first(task);
      Measured cold = first(task(null, Contender.ISOLATED_ADAPTIVE, workload, 0, 1, bytes));
      System.out.printf(
          "%n%s, kill -9: hit rate %.3f before, %.3f in the first update after it, %.3f with an"
              + " empty cache; %,d blocks taken over%n",
          workload,
          hitRate(List.of(before)),
          hitRate(List.of(after)),
          hitRate(List.of(cold)),
          after.foundBlocks());
    } finally {
      delete(home);
    }
  }

  private Measured first(SharingTask task) throws IOException {
    try (Children children = new Children()) {
      children.start(task);
      return children.work(1).get(0);
    }
  }

  private static void print(String name, List<List<Measured>> all) {
    System.out.printf(
        "| %s | %.4f | %.4f | %.3f | %.2f | %.1f %% | %.0f | %.0f |%n",
        name,
        median(all, SharingExperiment::hitRate),
        median(all, run -> sum(run, Measured::neighbourHits) / sum(run, Measured::references)),
        median(
            all, run -> sum(run, Measured::usedAgain) / Math.max(1, sum(run, Measured::inserted))),
        median(all, run -> run.stream().mapToDouble(Measured::seconds).max().orElse(0)),
        median(
            all,
            run ->
                100
                    * sum(run, Measured::overheadBytes)
                    / Math.max(1, sum(run, Measured::payloadBytes))),
        median(all, run -> mean(run, Measured::ownHitNanos)),
        median(all, run -> mean(run, Measured::neighbourHitNanos)));
  }

  private static double median(List<List<Measured>> all, ToDoubleFunction<List<Measured>> of) {
    return Repeats.median(all.stream().mapToDouble(of).toArray());
  }

  private static double sum(List<Measured> run, ToDoubleFunction<Measured> of) {
    return run.stream().mapToDouble(of).sum();
  }

  private static double mean(List<Measured> run, ToDoubleFunction<Measured> of) {
    return run.stream().mapToDouble(of).filter(value -> value > 0).average().orElse(0);
  }

  private static double hitRate(List<Measured> run) {
    return sum(run, Measured::hits) / Math.max(1, sum(run, Measured::references));
  }

  private static void delete(Path home) throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** The processes of a run, which are killed at its end. */
  private final class Children implements AutoCloseable {
    private final List<Process> started = new ArrayList<>();
    private final List<BufferedReader> answers = new ArrayList<>();

    void start(SharingTask task) throws IOException {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-XX:+UseSerialGC",
                  "-XX:MaxDirectMemorySize=16g",
                  "-cp",
                  System.getProperty("java.class.path"),
                  SharingWorker.class.getName())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      started.add(process);
      answers.add(process.inputReader(StandardCharsets.UTF_8));
      say(started.size() - 1, json.writeValueAsString(task));
      String ready = answer(started.size() - 1);
      if (!ready.equals("ready")) {
        throw new IOException("a worker says " + ready);
      }
    }

    private void say(int child, String line) throws IOException {
      started.get(child).outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
    }

    private String answer(int child) throws IOException {
      String line = answers.get(child).readLine();
      if (line == null) {
        throw new IOException("worker " + child + " has ended; its messages are above");
      }
      return line;
    }

    /** Lets all processes work at the same time. */
    List<Measured> work(int count) throws IOException {
      for (int child = 0; child < started.size(); child++) {
        say(child, Integer.toString(count));
      }
      List<Measured> measured = new ArrayList<>();
      for (int child = 0; child < started.size(); child++) {
        measured.add(json.readValue(answer(child), Measured.class));
      }
      return measured;
    }

    @Override
    public void close() {
      for (Process process : started) {
        process.destroyForcibly();
        process.onExit().join();
      }
    }
  }
}
