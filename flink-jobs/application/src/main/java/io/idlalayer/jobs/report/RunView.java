package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A view of a run from the status and decision topics: for each application partition the last
 * status, which has the totals, and the newest updates by number. After a restore, update numbers
 * continue from the checkpoint. A later event replaces an earlier one, so updates that the restore
 * has undone disappear. The view has at most {@link #UPDATES} updates, or {@link #UPDATES_EACH} of
 * each learner if these are more. Confined to one thread.
 */
public final class RunView {
  /** Largest number of updates that are kept of all learners together. */
  public static final int UPDATES = 10_000;

  /** Number of updates of each learner that are kept, however many learners there are. */
  public static final int UPDATES_EACH = 100;

  private final SortedMap<String, Learner> learners = new TreeMap<>();
  private long dropped;
  private long forgettings;

  /**
   * The statuses and updates of one application partition. The status and the decision topic are
   * each in order, but are read side by side. So the last status of each topic is kept, and the
   * status with more events, updates and versions counts. Times are not compared, because wall
   * clocks can be set back. After a restore the counts are lower; the decision topic reports the
   * restore.
   */
  public static final class Learner {
    /**
     * Order of statuses from oldest to newest by their counts, none of which ever decreases, except
     * at a restore.
     */
    private static final Comparator<Status> AGE =
        Comparator.<Status>comparingLong(status -> status.samples().received())
            .thenComparingLong(Status::updates)
            .thenComparingLong(Status::trainedNewSamples)
            .thenComparingLong(Status::modelVersion);

    private final String application;
    private final String name;
    private final SortedMap<Long, UpdateRecord> updates = new TreeMap<>();

    /** The last status of the status topic. */
    private @Nullable Status reported;

    /** The status of the last decision. */
    private @Nullable Status decided;

    /** The last status that was read, from either topic. */
    private Status last;

    private Learner(DecisionEvent first) {
      application = first.application();
      name = first.learner();
      last = first.status();
    }

    public String application() {
      return application;
    }

    /** Returns the name of the learner: application and partition. */
    public String name() {
      return name;
    }

    /** Returns the newest status of the learner. */
    public Status status() {
      Status ofTopic = reported;
      Status ofDecision = decided;
      if (ofTopic == null || ofDecision == null) {
        return last;
      }
      int order = AGE.compare(ofTopic, ofDecision);
      if (order == 0) {
        return last;
      }
      return order < 0 ? ofDecision : ofTopic;
    }

    /**
     * Returns the newest accepted updates, ascending by number. The models of some of them are not
     * published, because they wait or because a newer model replaced them.
     */
    public List<UpdateRecord> updates() {
      return List.copyOf(updates.values());
    }

    private void add(DecisionEvent event) {
      if (event.type() == DecisionEvent.Type.STATUS) {
        Status decision = decided;
        if (decision == null || AGE.compare(event.status(), decision) >= 0) {
          reported = event.status();
          last = event.status();
          forgetAbove(event.status());
        }
        return;
      }
      if (event.type() == DecisionEvent.Type.RESTORED) {
        // A status from before the restore can have higher counts than the present ones.
        reported = null;
      }
      decided = event.status();
      last = event.status();
      forgetAbove(event.status());
      UpdateRecord update = event.update();
      if (update != null && accepted(event.type(), update)) {
        updates.put(update.number(), update);
      }
    }

    private static boolean accepted(DecisionEvent.Type type, UpdateRecord update) {
      return (type == DecisionEvent.Type.STAGED && update.training() != null)
          || (type == DecisionEvent.Type.PUBLISHED && update.published() != null);
    }

    /**
     * Removes the updates above the learner's own count of updates, because a restore has undone
     * them.
     */
    private void forgetAbove(Status status) {
      updates.tailMap(status.updates() + 1).clear();
    }

    private void shorten(int most) {
      while (updates.size() > most) {
        updates.remove(updates.firstKey());
      }
    }

    /** Prepares for the next run, whose counts can be lower. */
    private void reopen() {
      last = status();
      reported = last;
      decided = null;
    }

    private boolean reached(String end) {
      return has(reported, end) || has(decided, end);
    }

    private static boolean has(@Nullable Status status, String end) {
      return status != null && status.input().ends().contains(end);
    }
  }

  private int most() {
    return Math.max(UPDATES_EACH, UPDATES / learners.size());
  }

  /**
   * Adds the next event of a topic to the view. Statuses come from another topic than decisions, so
   * a status that is older than the learner's last decision is skipped.
   */
  public void add(DecisionEvent event) {
    Learner learner = learners.computeIfAbsent(event.learner(), key -> new Learner(event));
    learner.add(event);
    learner.shorten(most());
    if (event.type() == DecisionEvent.Type.DROPPED) {
      dropped++;
    }
    if (event.type() == DecisionEvent.Type.FORGOTTEN && event.update() != null) {
      forgettings++;
    }
  }

  /** Treats everything so far as history; failures are counted from now on. */
  public void reopen() {
    learners.values().forEach(Learner::reopen);
    dropped = 0;
    forgettings = 0;
  }

  public List<Learner> learners() {
    return List.copyOf(learners.values());
  }

  /**
   * Returns whether at least {@code expected} learners of an application report that they have
   * reached an end of input.
   */
  public boolean reached(String end, String application, int expected) {
    return learners.values().stream()
            .filter(learner -> learner.application.equals(application))
            .filter(learner -> learner.reached(end))
            .count()
        >= expected;
  }

  /** Returns how many trainings and publications failed. */
  public long dropped() {
    return dropped;
  }

  /** Returns how often a model was trained again without samples that were to be forgotten. */
  public long forgettings() {
    return forgettings;
  }

  /** Returns the newest updates of all learners, in the order of their decisions. */
  public List<UpdateRecord> updates() {
    List<UpdateRecord> all = new ArrayList<>();
    learners.values().forEach(learner -> all.addAll(learner.updates.values()));
    all.sort(Comparator.comparingLong(update -> update.firing().atMillis()));
    return all;
  }
}
