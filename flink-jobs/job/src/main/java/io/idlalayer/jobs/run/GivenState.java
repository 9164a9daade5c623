package io.idlalayer.jobs.run;

import io.idlalayer.jobs.job.OnlineLearningJob;
import io.idlalayer.jobs.recovery.GivenPoint;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks the checkpoint or savepoint that Flink was told to start from: with {@code -s}, with
 * {@code execution.state-recovery.path}, or by a Kubernetes operator. Flink restores this state in
 * any case. The check comes before that, and its messages use the words of the application file.
 */
public final class GivenState {
  private GivenState() {}

  /**
   * Checks whether a job can start from a checkpoint or savepoint, and reports that the job
   * continues from there.
   *
   * @param defaultModels model store of applications that name none; null if all name one
   * @param say receives sentences about where the job continues and how many events are learned
   *     again
   * @return function that tells what an application begins with
   * @throws IOException with the reason and advice; nothing was submitted
   */
  public static Function<ApplicationSettings, FirstStarts.Origin> check(
      String address,
      List<ApplicationSettings> applications,
      @Nullable Path defaultModels,
      Consumer<String> say)
      throws IOException {
    Optional<GivenPoint> read;
    try {
      read = GivenPoint.read(address, OnlineLearningJob.LEARNER);
    } catch (IOException unusable) {
      throw refused(address, unusable.getMessage(), unusable);
    }
    if (read.isEmpty()) {
      say.accept(
          "continuing from %s, as Flink was told; its file system is not known here, so Flink's own processes check it"
              .formatted(address));
      return application -> FirstStarts.Origin.UNKNOWN;
    }
    GivenPoint point = read.get();
    Set<String> topics =
        applications.stream()
            .flatMap(each -> each.input().eventTopics().stream())
            .collect(Collectors.toSet());
    if (!point.topics().isEmpty() && point.topics().stream().noneMatch(topics::contains)) {
      throw refused(
          address,
          "it is of another application: its events are from %s, and those of %s from %s"
              .formatted(
                  String.join(", ", point.topics()),
                  applications.stream()
                      .map(ApplicationSettings::name)
                      .collect(Collectors.joining(", ")),
                  String.join(", ", new TreeSet<>(topics))),
          null);
    }
    say.accept("continuing from %s, as Flink was told".formatted(address));
    long again = eventsAfter(point, applications, defaultModels);
    if (again > 0) {
      say.accept(
          "warning: published models have learned at least %,d events that came after it. These events are read and learned again, and the versions made from them stay as an abandoned branch"
              .formatted(again));
    }
    // If the state has no positions of its source, nothing is known about its applications.
    return application ->
        application.input().eventTopics().stream().anyMatch(point.topics()::contains)
            ? FirstStarts.Origin.STATE
            : point.topics().isEmpty() ? FirstStarts.Origin.UNKNOWN : FirstStarts.Origin.NOTHING;
  }

  /**
   * Returns how many events the published models have learned that were read after a checkpoint.
   */
  private static long eventsAfter(
      GivenPoint point, List<ApplicationSettings> applications, @Nullable Path defaultModels)
      throws IOException {
    TreeMap<String, Long> reached = new TreeMap<>();
    for (ApplicationSettings application : applications) {
      ModelLineage.of(application, defaultModels)
          .inputOffsets()
          .forEach((key, offset) -> reached.merge(key, offset, Math::max));
    }
    return reached.entrySet().stream()
        .mapToLong(
            end ->
                Math.max(
                    0, end.getValue() - point.offsets().getOrDefault(end.getKey(), end.getValue())))
        .sum();
  }

  /**
   * Returns the error message for a start that is told both to continue from a state and to start
   * over.
   */
  public static String startOverToo(String address) {
    return "Flink was told to continue from %s, but a word for starting over says to begin from nothing: leave out one of them"
        .formatted(address);
  }

  private static IOException refused(
      String address, @Nullable String why, @Nullable Throwable cause) {
    return new IOException(
        "cannot continue from %s, which Flink was told to start from: %s. Nothing was submitted, and nothing is lost; name another checkpoint or savepoint"
            .formatted(address, why),
        cause);
  }
}
