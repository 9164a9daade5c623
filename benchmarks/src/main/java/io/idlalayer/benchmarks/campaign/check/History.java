package io.idlalayer.benchmarks.campaign.check;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.jobs.terminal.Terminal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observations of one round from outside; the only input of the checker.
 *
 * @param events committed records of the input topic, in order of partition and offset
 * @param lost ranges of offsets that the topic no longer has and no report has counted as read
 * @param manifests every published manifest, copied as it appeared, ascending by version
 * @param torn damage that a reader found which followed the pointer
 * @param followers one log of versions for each subscriber process
 * @param refusals versions that subscribers refused to load, with reasons
 * @param deadLetters origins of the dead letters
 * @param report report of the last run; null if it wrote none
 * @param faultFree report of a run with the same order and without faults; null if there was none
 * @param exitCode exit code of the last run; -1 if it had to be killed
 * @param message last output of the last run
 * @param secondsAfterLastFault seconds from the last fault until the last run ended
 * @param sockets addresses other than loopback on which a process of the product listened
 * @param foreign digests digests of files outside the product before and after, by name
 * @param promise the promise that this round tests
 */
public record History(
    List<Event> events,
    List<LostRange> lost,
    List<Manifest> manifests,
    List<String> torn,
    List<List<Served>> followers,
    List<String> refusals,
    List<Origin> deadLetters,
    @Nullable JsonNode report,
    @Nullable JsonNode faultFree,
    int exitCode,
    String message,
    double secondsAfterLastFault,
    List<String> sockets,
    Foreign foreign,
    Promise promise)
    implements Observed {

  /** Returns whether an exit code says that the input was learned, with losses or without. */
  public static boolean learned(int exitCode) {
    return exitCode == Terminal.OK || exitCode == Terminal.LOSSES;
  }

  /**
   * A record of the input topic.
   *
   * @param control whether it is not an event, but asks something of a learner
   */
  public record Event(String topicId, int partition, long offset, String value, boolean control) {}

  /** Offsets from {@code from} (inclusive) to {@code to} (exclusive). */
  public record LostRange(int partition, long from, long to) {
    long size() {
      return to - from;
    }
  }

  /**
   * A published version.
   *
   * @param branch what it says of the versions that it does not continue; "" if nothing
   * @param update number of the update that made it, -1 if it does not say
   * @param afterRecoveryPoint whether a checkpoint or savepoint that has a model had been seen 15 s
   *     before it appeared: until then a crash leaves no model to go on from
   * @param named whether a pointer was seen that names it; one whose publication failed after its
   *     folder was complete is none of the lineage
   */
  public record Manifest(
      int partition,
      long version,
      long parentVersion,
      String digest,
      String parentDigest,
      long trained,
      long newSamples,
      Map<Integer, Long> offsets,
      String branch,
      long update,
      boolean afterRecoveryPoint,
      boolean named) {
    public Manifest seenNamed() {
      return new Manifest(
          partition,
          version,
          parentVersion,
          digest,
          parentDigest,
          trained,
          newSamples,
          offsets,
          branch,
          update,
          afterRecoveryPoint,
          true);
    }
  }

  /** A version that a subscriber put into service. */
  public record Served(long version, long trained) {}

  /** Where a dead letter came from. */
  public record Origin(int partition, long offset) {}

  /** Other people's files. */
  public record Foreign(Map<String, String> before, Map<String, String> after) {}

  /**
   * What the round may do.
   *
   * @param rows first columns of the rows that must be in the topic exactly once; empty for no such
   *     claim
   * @param mayRefuse whether the last run may end with an error in words
   * @param mayRefuseVersions whether a subscriber may refuse versions, because files were damaged
   * @param mayMissVersions whether updates may stay unpublished, because the disk does not take
   *     them
   * @param mayStartOver whether a first model may follow others
   * @param uncertain events whose class is not foreseen, such as hostile ones
   * @param boundSeconds within which the last run ends after the last fault
   */
  public record Promise(
      List<String> rows,
      boolean mayRefuse,
      boolean mayRefuseVersions,
      boolean mayMissVersions,
      boolean mayStartOver,
      int uncertain,
      double boundSeconds) {
    public static Promise all(double boundSeconds) {
      return new Promise(List.of(), false, false, false, false, 0, boundSeconds);
    }

    public Promise rows(List<String> names) {
      return new Promise(
          names,
          mayRefuse,
          mayRefuseVersions,
          mayMissVersions,
          mayStartOver,
          uncertain,
          boundSeconds);
    }

    public Promise refusing() {
      return new Promise(
          rows, true, mayRefuseVersions, mayMissVersions, mayStartOver, uncertain, boundSeconds);
    }

    public Promise damaged() {
      return new Promise(
          rows, mayRefuse, true, mayMissVersions, mayStartOver, uncertain, boundSeconds);
    }

    public Promise unwritable() {
      return new Promise(
          rows, mayRefuse, mayRefuseVersions, true, mayStartOver, uncertain, boundSeconds);
    }

    public Promise uncertain(int events) {
      return new Promise(
          rows, mayRefuse, mayRefuseVersions, mayMissVersions, mayStartOver, events, boundSeconds);
    }
  }

  @Override
  public Checker.Findings check() {
    return Checker.check(this);
  }

  @Override
  public List<String> remarks() {
    return Checker.earlyRestarts(this) > 0
        ? List.of("began again from nothing before any recovery point had a model")
        : List.of();
  }
}
