package io.idlalayer.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Processor time of this process so far, by kind of thread. Threads of the JVM and of native
 * libraries count, so it is read from Linux, in its ticks of 10 ms. A thread that has ended counts
 * in the total only.
 *
 * @param totalMillis processor time of all threads that ever ran
 * @param collectorMillis time in garbage collections
 * @param byKind milliseconds by name of thread, at most 15 characters, without numbers
 */
record ProcessorTimes(double totalMillis, double collectorMillis, Map<String, Double> byKind) {
  private static final Path THREADS = Path.of("/proc/self/task");
  private static final double TICK_MILLIS = 10;
  private static final double LEAST_SHARE = 0.01;

  /**
   * Index of the user time among the fields after the name in a thread's stat file; the system time
   * follows it.
   */
  private static final int USER = 11;

  static ProcessorTimes now() {
    double collectors = 0;
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      collectors += each.getCollectionTime();
    }
    long nanos =
        ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    Map<String, Double> kinds = new TreeMap<>();
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS)) {
      for (Path thread : threads) {
        add(thread, kinds);
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException("threads are read from Linux's " + THREADS, unreadable);
    }
    return new ProcessorTimes(nanos / 1e6, collectors, kinds);
  }

  private static void add(Path thread, Map<String, Double> kinds) throws IOException {
    try {
      String stat = Files.readString(thread.resolve("stat"));
      int end = stat.lastIndexOf(')');
      String name = stat.substring(stat.indexOf('(') + 1, end).replaceAll("[0-9]+", "#");
      String[] fields = stat.substring(end + 2).split(" ", -1);
      long ticks = Long.parseLong(fields[USER]) + Long.parseLong(fields[USER + 1]);
      kinds.merge(name, ticks * TICK_MILLIS, Double::sum);
    } catch (NoSuchFileException ended) {
      // Between the listing and the look.
      return;
    }
  }

  /** What was spent since an earlier look, as text: milliseconds for each 1,000 events. */
  String since(ProcessorTimes before, long events) {
    double thousands = events / 1000.0;
    StringBuilder text = new StringBuilder();
    text.append(
        "%.1f ms of processor time for 1,000 events, collections %.2f ms of it%n"
            .formatted(
                (totalMillis - before.totalMillis) / thousands,
                (collectorMillis - before.collectorMillis) / thousands));
    double least = LEAST_SHARE * (totalMillis - before.totalMillis);
    byKind.entrySet().stream()
        .map(
            kind ->
                Map.entry(
                    kind.getKey(),
                    kind.getValue() - before.byKind.getOrDefault(kind.getKey(), 0.0)))
        .filter(kind -> kind.getValue() >= least)
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .forEach(
            kind ->
                text.append(
                    "  %-15s %6.2f%n".formatted(kind.getKey(), kind.getValue() / thousands)));
    return text.toString();
  }
}
