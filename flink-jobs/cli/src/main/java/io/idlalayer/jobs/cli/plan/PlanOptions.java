package io.idlalayer.jobs.cli.plan;

import io.idlalayer.middleware.sample.text.NumberNotation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a plan, as they were given. */
final class PlanOptions {
  private static final int MOST_PROCESSES = 1024;
  private static final double MOST_EVENTS_PER_SECOND = 1e6;

  @Option(
      names = "--memory",
      paramLabel = "SIZE,...",
      description =
          "Fast memory for the tensors of one training, such as 512MiB,4GiB (default:"
              + " memory.tensors.fast-bytes of the application, and 100, 50 and 20 %% of what a step"
              + " needs).")
  @Nullable String memory;

  @Option(
      names = "--device",
      paramLabel = "NAME:reads=,writes=,latency=,price=",
      description =
          "A slow device, such as nvme:reads=3GB/s,writes=2GB/s,latency=80us,price=0.1; the price is"
              + " that of a GiB for a month. May be given several times (default: the device of"
              + " memory.tensors.slow-directory, measured).")
  List<String> devices = new ArrayList<>();

  @Option(
      names = "--dram-price",
      paramLabel = "PRICE",
      description = "Price of a GiB of fast memory for a month.")
  @Nullable String dramPrice;

  @Option(
      names = "--processes",
      paramLabel = "N,...",
      description = "Numbers of processes that train one model together, such as 1,2,4.")
  @Nullable String processes;

  @Option(
      names = "--link",
      paramLabel = "LINK",
      description = "Links of each process: 10GbE, 2x25GbE or 1.25GB/s.")
  @Nullable String link;

  @Option(
      names = "--target",
      paramLabel = "PERCENT",
      description =
          "How much longer than in fast memory a step may take, such as 10%%; the cheapest that"
              + " meets it is named.")
  @Nullable String target;

  @Option(
      names = "--events-per-second",
      paramLabel = "N",
      defaultValue = "100",
      description = "Rate at which events arrive (default: ${DEFAULT-VALUE}).")
  String eventsPerSecond;

  /**
   * Reads the options.
   *
   * @param problems receives a sentence for each problem
   */
  PlanRequest read(List<String> problems) {
    List<Integer> counts = processes(problems);
    PlannedLink way = one("--link", link, PlannedLink::read, problems);
    boolean several = counts.stream().anyMatch(count -> count > 1);
    if (several && link == null) {
      problems.add("--processes: several processes need --link, such as --link 10GbE");
    }
    if (link != null && !several) {
      problems.add("--link goes with --processes of more than one");
    }
    Double price = one("--dram-price", dramPrice, Units::price, problems);
    Double share = one("--target", target, Units::share, problems);
    Double rate = one("--events-per-second", eventsPerSecond, PlanOptions::rate, problems);
    return new PlanRequest(
        budgets(problems),
        devices(problems),
        price == null ? Double.NaN : price,
        counts,
        way,
        share == null ? Double.NaN : share,
        rate == null ? Double.NaN : rate);
  }

  private List<Long> budgets(List<String> problems) {
    Set<Long> sizes = new TreeSet<>();
    if (memory != null) {
      for (String each : memory.split(",", -1)) {
        Long size = one("--memory", each, Units::bytes, problems);
        if (size != null) {
          sizes.add(size);
        }
      }
    }
    return List.copyOf(sizes);
  }

  private List<PlannedDevice> devices(List<String> problems) {
    List<PlannedDevice> read = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String each : devices) {
      PlannedDevice device = PlannedDevice.read(each, problems);
      String name = each.replaceFirst(":.*", "");
      if (!names.add(name)) {
        problems.add("--device " + name + " is given twice");
      }
      if (device != null) {
        read.add(device);
      }
    }
    return read;
  }

  private List<Integer> processes(List<String> problems) {
    Set<Integer> counts = new TreeSet<>();
    if (processes != null) {
      for (String each : processes.split(",", -1)) {
        Integer count = one("--processes", each, PlanOptions::count, problems);
        if (count != null) {
          counts.add(count);
        }
      }
    }
    return List.copyOf(counts);
  }

  private static int count(String text) {
    double number = NumberNotation.PLAIN.read(text);
    if (!(number >= 1 && number <= MOST_PROCESSES && number == Math.rint(number))) {
      throw new IllegalArgumentException(
          "'%s' is not a whole number from 1 to %,d".formatted(text, MOST_PROCESSES));
    }
    return (int) number;
  }

  private static double rate(String text) {
    double rate = NumberNotation.PLAIN.read(text);
    if (!(rate > 0 && rate <= MOST_EVENTS_PER_SECOND)) {
      throw new IllegalArgumentException(
          "'%s' is not a number above 0 and at most %,.0f".formatted(text, MOST_EVENTS_PER_SECOND));
    }
    return rate;
  }

  private static <T> @Nullable T one(
      String option, @Nullable String text, Function<String, T> reader, List<String> problems) {
    if (text == null) {
      return null;
    }
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException wrong) {
      problems.add(option + ": " + wrong.getMessage());
      return null;
    }
  }
}
