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
 * What the status and decision topics say of a run so far: for each application partition the last
 * status, which has the totals, and its newest updates by their number. After a restore numbers run
 * again from the checkpoint; the later event replaces the earlier, so what was undone by the
 * restore disappears. Holds at most {@link #UPDATES} updates, or {@link #UPDATES_EACH} of each
 * learner if that is more. Confined to one thread.
 */
public final class RunView {
  /** Most updates that are shown of all learners. */
  public static final int UPDATES = 10_000;

  /** How many of each learner are shown, however many learners there are. */
  public static final int UPDATES_EACH = 100;

  private final SortedMap<String, Learner> learners = new TreeMap<>();
  private long dropped;

  /**
   * One application partition. The status and the decision topic are each in order, but read side
   * by side. So the last status of each is kept, and the one that knows more events, updates and
   * versions counts: no clock is asked, since wall clocks are set back. A restore, after which a
   * learner knows less, is told by the decision topic.
   */
  public static final class Learner {
    /** Oldest first: none of these numbers ever falls, except at a restore. */
    private static final Comparator<Status> AGE =
        Comparator.<Status>comparingLong(status -> status.samples().received())
            .thenComparingLong(Status::updates)
            .thenComparingLong(Status::trainedNewSamples)
            .thenComparingLong(Status::modelVersion);

    private final String application;
    private final SortedMap<Long, UpdateRecord> updates = new TreeMap<>();

    /** The last of the status topic. */
    private @Nullable Status reported;

    /** That of the last decision. */
    private @Nullable Status decided;

    /** The last status that was read, from either topic. */
    private Status last;

    private Learner(DecisionEvent first) {
      application = first.application();
      last = first.status();
    }

    public String application() {
      return application;
    }

    /** The newest status. */
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

    /** The newest published updates, ascending by number. */
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
        // Said before the restore, it may know more than is true now.
        reported = null;
      }
      decided = event.status();
      last = event.status();
      forgetAbove(event.status());
      UpdateRecord update = event.update();
      if (event.type() == DecisionEvent.Type.PUBLISHED
          && update != null
          && update.published() != null) {
        updates.put(update.number(), update);
      }
    }

    /** What was numbered higher than the learner's own count was undone by a restore. */
    private void forgetAbove(Status status) {
      updates.tailMap(status.updates() + 1).clear();
    }

    private void shorten(int most) {
      while (updates.size() > most) {
        updates.remove(updates.firstKey());
      }
    }

    /** What comes next is of another run, which may begin with less. */
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
   * Takes the next event. Statuses come by a topic of their own: one that is older than the
   * learner's last decision is passed over.
   */
  public void add(DecisionEvent event) {
    Learner learner = learners.computeIfAbsent(event.learner(), key -> new Learner(event));
    learner.add(event);
    learner.shorten(most());
    if (event.type() == DecisionEvent.Type.DROPPED) {
      dropped++;
    }
  }

  /** What was followed so far is history: failures are counted from here. */
  public void reopen() {
    learners.values().forEach(Learner::reopen);
    dropped = 0;
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

  /** Trainings and publications that failed. */
  public long dropped() {
    return dropped;
  }

  /** The newest updates of all learners, in the order of their publication. */
  public List<UpdateRecord> updates() {
    List<UpdateRecord> all = new ArrayList<>();
    learners.values().forEach(learner -> all.addAll(learner.updates.values()));
    all.sort(Comparator.comparingLong(update -> update.requirePublished().atMillis()));
    return all;
  }
}
