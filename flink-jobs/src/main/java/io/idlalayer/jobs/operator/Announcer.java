package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.DataController;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateView;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Says what happens, and every second how things are. */
final class Announcer {
  private static final long STATUS_MILLIS = 1_000;
  private static final long IDLE_STATUS_MILLIS = 30_000;

  private final LearnerParts parts;
  private final Supplier<Status> status;
  private long statusAtMillis;
  private long reportedAtMillis;
  private boolean changed = true;

  Announcer(LearnerParts parts, Supplier<Status> status, long openedAtMillis) {
    this.parts = parts;
    this.status = status;
    statusAtMillis = openedAtMillis + STATUS_MILLIS;
  }

  /** Something happened that the next status shows. */
  void changed() {
    changed = true;
  }

  /** When the next status is due. */
  long statusAtMillis() {
    return statusAtMillis;
  }

  /** Says how things are, if it is time: every second while they change, else now and then. */
  void report(long nowMillis) {
    if (nowMillis < statusAtMillis) {
      return;
    }
    if (changed || nowMillis >= reportedAtMillis + IDLE_STATUS_MILLIS) {
      say(event(DecisionEvent.Type.STATUS, null, ""), nowMillis);
      changed = false;
    }
    statusAtMillis = nowMillis + STATUS_MILLIS;
  }

  void say(DecisionEvent.Type type, long nowMillis, @Nullable UpdateView update, String message) {
    say(event(type, update, message), nowMillis);
  }

  /** An event to be completed and said. */
  DecisionEvent event(DecisionEvent.Type type, @Nullable UpdateView update, String message) {
    return DecisionEvent.of(
        type,
        new DecisionEvent.Origin(
            parts.key().application(), parts.key().partition(), parts.clock().wallMillis()),
        status.get(),
        update,
        message);
  }

  void say(DecisionEvent event, long nowMillis) {
    statusAtMillis = nowMillis + STATUS_MILLIS;
    reportedAtMillis = nowMillis;
    // The status topic must tell it too.
    changed |= event.type() != DecisionEvent.Type.STATUS;
    parts.output().decision(event);
  }

  /**
   * Says that an update was started.
   *
   * @param arrivals wall times of its new samples
   */
  void fired(
      PendingUpdate fired, @Nullable AcceptedModel parent, ArrivalTimes arrivals, long nowMillis) {
    DecisionEvent.Type type = DecisionEvent.Type.FIRED;
    for (ArrivalTimes part : arrivals.split()) {
      say(event(type, StatusView.fired(fired, parent), "").with(part), nowMillis);
      type = DecisionEvent.Type.ARRIVALS;
    }
  }

  /** The answer to a question for a sample. */
  void answer(DataController data, String asked, long nowMillis) {
    DecisionEvent answer = event(DecisionEvent.Type.EXPLAINED, null, "");
    say(answer.with(SampleViews.explain(data, asked)), nowMillis);
  }
}
