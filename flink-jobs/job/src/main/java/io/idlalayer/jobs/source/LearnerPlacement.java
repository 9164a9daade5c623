package io.idlalayer.jobs.source;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.primitive.BitMixer;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * Chooses the Flink keys of an application's learners, which determine the subtasks that they run
 * in.
 *
 * <p>A job has {@link #KEY_GROUPS} key groups at any parallelism, and Flink gives each subtask a
 * range of them. The partitions of an application are in key groups at equal distances. With as
 * many subtasks as partitions, each subtask has one partition. With fewer subtasks, the number of
 * partitions in a subtask differs from the mean by less than two. The name of the application
 * determines the partition and the key group with which the placement begins, so that several
 * applications of one job do not all begin at the first subtask.
 *
 * <p>A key depends only on the name of the application, the partition, and the number of
 * partitions. So state never moves from one key to another if applications are added to the job or
 * removed, or if the parallelism changes.
 */
public final class LearnerPlacement {
  /** Number of key groups of a job, Flink's maximum parallelism. */
  public static final int KEY_GROUPS = ApplicationSettings.MOST_PARTITIONS;

  /**
   * Number of salts to try for a key. On average, one salt in {@link #KEY_GROUPS} puts the key into
   * the wanted group, so the search practically always succeeds.
   */
  private static final int SALTS = 1 << 16;

  private LearnerPlacement() {}

  /**
   * Returns the Flink keys of an application's learners, by partition.
   *
   * @param partitions 1 to {@link #KEY_GROUPS}
   */
  public static List<String> keys(String application, int partitions) {
    if (partitions < 1 || partitions > KEY_GROUPS) {
      throw new IllegalArgumentException(
          "%d partitions of %s: the number must be between 1 and %d"
              .formatted(partitions, application, KEY_GROUPS));
    }
    return IntStream.range(0, partitions)
        .mapToObj(partition -> key(application, partition, partitions))
        .toList();
  }

  private static String key(String application, int partition, int partitions) {
    LearnerKey learner = new LearnerKey(application, partition);
    int wanted = group(application, partition, partitions);
    for (int salt = 0; salt < SALTS; salt++) {
      String key = learner.salted(salt);
      if (KeyGroupRangeAssignment.assignToKeyGroup(key, KEY_GROUPS) == wanted) {
        return key;
      }
    }
    throw new IllegalStateException(
        "no salt below %d puts %s into key group %d".formatted(SALTS, learner.text(), wanted));
  }

  /** Returns the key group in which the learner of a partition must be. */
  static int group(String application, int partition, int partitions) {
    long hash = BitMixer.splitMix(application.hashCode() * BitMixer.GOLDEN_RATIO);
    int slot = (int) ((partition + Long.remainderUnsigned(hash, partitions)) % partitions);
    int first = start(slot, partitions);
    int width = start(slot + 1, partitions) - first;
    // The group lies at the same fraction of each slot, so that the distances are equal.
    return first + (int) (((hash >>> 33) * width) >>> 31);
  }

  /**
   * Returns the first key group of a slot. If there are as many subtasks as slots, this is the
   * first key group of the subtask.
   */
  private static int start(int slot, int slots) {
    return (slot * KEY_GROUPS + slots - 1) / slots;
  }

  /** Returns the number of learners in the subtask with the most learners. */
  static int most(List<String> keys, int subtasks) {
    int[] learners = new int[subtasks];
    int most = 0;
    for (String key : keys) {
      int subtask = KeyGroupRangeAssignment.assignKeyToParallelOperator(key, KEY_GROUPS, subtasks);
      most = Math.max(most, ++learners[subtask]);
    }
    return most;
  }

  /**
   * Returns the number of subtasks of a job: the smallest number with which the fullest subtask has
   * as few learners as possible. A subtask trains one learner at a time, so the fullest subtask
   * limits the speed of the job.
   *
   * @param keys keys of all learners of the job
   * @param limit largest number of subtasks, at least 1: the number of slots or cores
   */
  public static int parallelism(List<String> keys, int limit) {
    int best = 1;
    int least = Integer.MAX_VALUE;
    for (int subtasks = 1; subtasks <= Math.min(limit, KEY_GROUPS); subtasks++) {
      int most = most(keys, subtasks);
      if (most < least) {
        least = most;
        best = subtasks;
      }
    }
    return best;
  }
}
