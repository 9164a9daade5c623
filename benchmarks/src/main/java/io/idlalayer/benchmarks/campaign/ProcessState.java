package io.idlalayer.benchmarks.campaign;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What one look at a process sees, by name of the series. */
final class ProcessState {
  private static final Pattern USED = Pattern.compile("(?:generation|heap|region).*?used (\\d+)K");

  private ProcessState() {}

  /** Collects garbage and looks. Sizes in MiB. */
  static Map<String, Double> of(long pid, Path work) throws IOException, InterruptedException {
    Map<String, Double> seen = new LinkedHashMap<>();
    jcmd(pid, "GC.run");
    seen.put("heap after collection MiB", heapMiB(jcmd(pid, "GC.heap_info")));
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        seen.put("RSS MiB", number(line) / 1024);
      } else if (line.startsWith("Threads:")) {
        seen.put("threads", number(line));
      }
    }
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      seen.put("file descriptors", (double) descriptors.count());
    }
    for (String folder :
        List.of("checkpoints", "savepoints", "state", "models", "tmp", "tensors")) {
      seen.put("disk " + folder + " MiB", diskMiB(work.resolve(folder)));
    }
    return seen;
  }

  private static double number(String line) {
    return Double.parseDouble(line.replaceAll("\\D", ""));
  }

  /** Sums what the generations of a heap use, as {@code GC.heap_info} of SerialGC tells. */
  static double heapMiB(String info) {
    double kib = 0;
    for (String line : info.lines().toList()) {
      if (line.contains("Metaspace")) {
        break;
      }
      Matcher matcher = USED.matcher(line);
      if (matcher.find()) {
        kib += Double.parseDouble(matcher.group(1));
      }
    }
    return kib / 1024;
  }

  private static String jcmd(long pid, String command) throws IOException, InterruptedException {
    Path tool = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(tool.toString(), Long.toString(pid), command)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("jcmd " + command + " fails: " + said.strip());
    }
    return said;
  }

  private static double diskMiB(Path folder) {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.mapToLong(file -> file.toFile().isFile() ? file.toFile().length() : 0).sum()
          / 1048576.0;
    } catch (IOException | java.io.UncheckedIOException changing) {
      // Files go while they are counted; the next look sees others.
      return Double.NaN;
    }
  }

  /** Points without the first fifth, which is warm-up, and without looks that failed. */
  static Slope slope(double[] hours, double[] values) {
    int from = hours.length / 5;
    double[] h = Arrays.copyOfRange(hours, from, hours.length);
    double[] v = Arrays.copyOfRange(values, from, values.length);
    int valid = 0;
    for (int i = 0; i < h.length; i++) {
      if (!Double.isNaN(v[i])) {
        h[valid] = h[i];
        v[valid++] = v[i];
      }
    }
    return Slope.of(Arrays.copyOf(h, valid), Arrays.copyOf(v, valid));
  }
}
