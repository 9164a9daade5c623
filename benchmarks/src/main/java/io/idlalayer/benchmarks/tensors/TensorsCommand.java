package io.idlalayer.benchmarks.tensors;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.device.FileAccess;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Trains a reference network under placement policies. */
@Command(
    name = "tensors",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Trains a network with its tensors on a fast and a slow device, under one placement policy"
          + " after another, and prints what moved, what a step took, and that the trained"
          + " parameters are the same, bit for bit."
    })
public final class TensorsCommand implements Callable<Integer> {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  @Spec CommandSpec spec;

  @Option(
      names = "--model",
      required = true,
      paramLabel = "NAME",
      description =
          "vgg-s, resnet-s, densenet-s, inception-s, lstm-s, mlp, resnet-d, inception-d, lstm-d,"
              + " resnet-1g.")
  String model;

  @Option(
      names = "--fast",
      required = true,
      paramLabel = "RATIO|BYTES",
      description =
          "Fast device: share of the most bytes that a step has at once (0.25), or bytes (256MiB).")
  String fast;

  @Option(
      names = "--policy",
      split = ",",
      paramLabel = "all|NAME,...",
      description = "Placement policies.")
  List<String> policies = List.of("all");

  @Option(
      names = "--clock",
      paramLabel = "real|inject|virtual",
      description =
          "real: wall time; inject: wall time on a slow device that is made to read at 0.273 and to"
              + " write at 0.10 of the speed of the fast one; virtual: these times, computed.")
  String clock = "inject";

  @Option(names = "--report", paramLabel = "FILE.json", description = "Writes the numbers as JSON.")
  @Nullable Path report;

  @Option(
      names = "--record",
      paramLabel = "FILE.json",
      description = "Writes the step: kernels, tensors and times.")
  @Nullable Path record;

  @Option(
      names = "--slow-directory",
      paramLabel = "DIR",
      description =
          "Where the slow device's file lies (default: /dev/shm, else the temporary folder).")
  @Nullable Path slowDirectory;

  @Option(
      names = "--slow-access",
      paramLabel = "mapped|direct",
      description =
          "mapped: the file is mapped into memory, and its bytes stay in the page cache; direct:"
              + " past the page cache, which needs --clock real and a folder that is no RAM disk"
              + " (default: the temporary folder).")
  String slowAccess = "mapped";

  @Option(
      names = "--steps",
      paramLabel = "N",
      description = "Measured steps of each policy, in all turns.")
  int steps = 10;

  @Option(
      names = "--turns",
      paramLabel = "N",
      description = "Turns of each policy, forth and back through all of them.")
  int turns = 2;

  @Option(names = "--warm-ups", paramLabel = "N", description = "Uncounted steps of each turn.")
  int warmUps = 3;

  @Option(names = "--batch", paramLabel = "N", description = "Examples of a mini-batch.")
  @Nullable Integer batch;

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      description = "Size of the network, above 0 to 1.")
  double scale = 1;

  @Option(
      names = "--undersized",
      description = "Goes on although a kernel's arguments do not fit the fast device.")
  boolean undersized;

  @Override
  public Integer call() throws IOException, InterruptedException {
    TensorPlan plan = plan();
    TaskGraph graph = TensorBench.trainee(plan).recorded();
    refuse(TensorBench.problems(plan, graph));
    if (record != null) {
      TaskGraphFile.write(record, graph);
    }
    var err = spec.commandLine().getErr();
    TensorBench.Outcome outcome = new TensorBench(plan, graph, err::println).run();
    TensorReport result = new TensorReport(plan, graph, outcome);
    result.print(spec.commandLine().getOut());
    if (report != null) {
      new ObjectMapper()
          .writerWithDefaultPrettyPrinter()
          .writeValue(report.toFile(), result.json());
    }
    List<String> wrong = result.wrong();
    if (!wrong.isEmpty()) {
      err.println(
          "error: other parameters than without placement after the same steps: "
              + String.join(", ", wrong));
      return 1;
    }
    return 0;
  }

  /**
   * Returns the plan of the run. Refuses wrong options together in one message, before anything
   * runs.
   */
  private TensorPlan plan() {
    List<String> problems = new ArrayList<>();
    ReferenceNet net = checked("--model", problems, () -> ReferenceNet.of(model));
    FastBudget budget = checked("--fast", problems, () -> FastBudget.parse(fast));
    NetScale size = checked("--scale", problems, () -> new NetScale(scale));
    ClockKind kind = checked("--clock", problems, () -> clock(clock));
    List<ComparedPolicy> chosen = policies(problems);
    atLeast(1, steps, "--steps", problems);
    atLeast(1, turns, "--turns", problems);
    atLeast(0, warmUps, "--warm-ups", problems);
    if (batch != null) {
      atLeast(1, batch, "--batch", problems);
    }
    FileAccess access = checked("--slow-access", problems, () -> access(slowAccess));
    if (access == FileAccess.DIRECT && kind != null && kind != ClockKind.REAL) {
      problems.add(
          "--slow-access: direct needs --clock real; other clocks set the speed of the slow device");
    }
    Path directory = slowDirectory == null ? defaultDirectory(access) : slowDirectory;
    if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
      problems.add("--slow-directory: %s is not a folder that can be written".formatted(directory));
    }
    writable("--report", report, problems);
    writable("--record", record, problems);
    refuse(problems);
    if (net == null || budget == null || size == null || kind == null || access == null) {
      throw new IllegalStateException("a wrong option was not refused");
    }
    int examples = batch == null ? net.batch(size) : batch;
    return new TensorPlan(
        net,
        size,
        examples,
        budget,
        chosen,
        kind,
        new TensorPlan.Schedule(steps, turns, warmUps),
        undersized,
        directory,
        access);
  }

  private interface Check<T> {
    T value();
  }

  private static <T> @Nullable T checked(String option, List<String> problems, Check<T> check) {
    try {
      return check.value();
    } catch (IllegalArgumentException wrong) {
      problems.add(option + ": " + wrong.getMessage());
      return null;
    }
  }

  private static ClockKind clock(String name) {
    return Arrays.stream(ClockKind.values())
        .filter(kind -> kind.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no clock is called %s; there are real, inject, virtual".formatted(name)));
  }

  private static FileAccess access(String name) {
    return Arrays.stream(FileAccess.values())
        .filter(kind -> kind.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "a file is accessed mapped or direct, not %s".formatted(name)));
  }

  private List<ComparedPolicy> policies(List<String> problems) {
    if (policies.equals(List.of("all"))) {
      return List.of(ComparedPolicy.values());
    }
    List<ComparedPolicy> chosen = new ArrayList<>();
    for (String policy : policies) {
      ComparedPolicy name = checked("--policy", problems, () -> ComparedPolicy.of(policy));
      if (name != null && !chosen.contains(name)) {
        chosen.add(name);
      }
    }
    return chosen;
  }

  private static void atLeast(int least, int value, String option, List<String> problems) {
    if (value < least) {
      problems.add("%s: %d; at least %d".formatted(option, value, least));
    }
  }

  private static Path defaultDirectory(@Nullable FileAccess access) {
    boolean inMemory =
        access != FileAccess.DIRECT
            && Files.isDirectory(SHARED_MEMORY)
            && Files.isWritable(SHARED_MEMORY);
    return inMemory ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
  }

  private static void writable(String option, @Nullable Path file, List<String> problems) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    boolean replaces = Files.exists(file);
    if (Files.isDirectory(file)
        || (replaces && !Files.isWritable(file))
        || folder == null
        || !Files.isDirectory(folder)
        || !Files.isWritable(folder)) {
      problems.add("%s: %s cannot be written".formatted(option, file));
    }
  }

  private void refuse(List<String> problems) {
    if (!problems.isEmpty()) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), String.join(System.lineSeparator(), problems));
    }
  }
}
