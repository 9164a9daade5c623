package io.idlalayer.benchmarks.measure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A run of the product as a user starts it, with broker, Flink, learner and publication in a
 * process of its own, that learned a whole input. Linux only.
 *
 * @param report what the run reported at its end
 * @param cpuSeconds processor time of the process
 */
public record WholeRun(JsonNode report, double cpuSeconds) {
  /**
   * Learns an input.
   *
   * @param idla words that start the command line
   * @param application application file
   * @param input events
   * @param rate events a second
   * @param folder for what the run writes
   * @throws IOException with what the process said, if it does not end well
   */
  public static WholeRun of(List<String> idla, Path application, Path input, int rate, Path folder)
      throws IOException, InterruptedException {
    Path report = folder.resolve("report.json");
    List<String> command = new ArrayList<>(idla);
    command.addAll(
        List.of(
            "run",
            application.toString(),
            "--input=" + input,
            "--rate=" + rate,
            "--no-console",
            "--report=" + report,
            "--work-dir=" + folder.resolve("work")));
    double seconds = EndedProcesses.cpuSecondsOf(command, folder.resolve("said.txt"));
    return new WholeRun(new ObjectMapper().readTree(report.toFile()), seconds);
  }

  /** Returns how the product predicted classes of events before it learned them. */
  public JsonNode classification() {
    return report.at("/prequential/classification");
  }
}
