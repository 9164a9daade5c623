package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.evaluation.StageReport;
import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.SampleView;
import io.idlalayer.jobs.events.StepPlan;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.learner.update.UpdateLog;
import io.idlalayer.jobs.processor.ProcessorPart;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.jobs.processor.ProcessorTimes;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import org.jspecify.annotations.Nullable;

/**
 * Sends decision events as they happen, and a status a second after the last event, but at least
 * every five seconds while something changes: each event contains the status, so while events are
 * frequent only readers of the status topic need a separate status. Counts the processor time for
 * making and sending events.
 */
final class StatusReporter implements UpdateLog {
  private static final long STATUS_MILLIS = 1_000;
  private static final long IDLE_STATUS_MILLIS = 30_000;

  /** Longest time, in milliseconds, by which events on the decision topic delay a status. */
  private static final long LONGEST_DELAY_MILLIS = 5_000;

  private final LearnerContext context;
  private final LearnerStatus status;
  private final ProcessorTime processor;
  private long statusAtMillis;
  private long reportedAtMillis;

  /** Last time at which the status topic contained the learner's newest status. */
  private long currentAtMillis;

  private boolean changed = true;

  StatusReporter(LearnerContext context, LearnerStatus status, LearnerTime opened) {
    this.context = context;
    this.status = status;
    processor = context.ports().processor();
    statusAtMillis = opened.millis() + STATUS_MILLIS;
    currentAtMillis = opened.millis();
  }

  @Override
  public void changed() {
    changed = true;
  }

  /** Returns when the next status is due, in milliseconds of the learner's clock. */
  long statusAtMillis() {
    return statusAtMillis;
  }

  /**
   * Sends a status if one is due: every second while the status changes, every five seconds while
   * other events contain the status, and every 30 seconds while nothing changes.
   */
  void report(LearnerTime now) {
    if (now.millis() < statusAtMillis) {
      return;
    }
    if (changed || now.millis() >= reportedAtMillis + IDLE_STATUS_MILLIS) {
      sayStatus(now);
    }
    currentAtMillis = now.millis();
    statusAtMillis = now.millis() + STATUS_MILLIS;
  }

  /** Sends a status now. */
  void sayStatus(LearnerTime now) {
    say(DecisionEvent.Type.STATUS, now, null, "");
    changed = false;
  }

  @Override
  public void say(
      DecisionEvent.Type type, LearnerTime now, @Nullable UpdateRecord update, String message) {
    processor.count(
        ProcessorTimes.partOf(type), () -> send(event(type, now, update, message), now));
  }

  @Override
  public void fired(UpdateRecord update, ArrivalTimes arrivals, LearnerTime now) {
    processor.count(
        ProcessorPart.REPORTING,
        () -> {
          DecisionEvent.Type type = DecisionEvent.Type.FIRED;
          for (ArrivalTimes part : arrivals.split()) {
            send(event(type, now, update, "").with(part), now);
            type = DecisionEvent.Type.ARRIVALS;
          }
        });
  }

  @Override
  public void staged(UpdateRecord update, StageReport report, LearnerTime now) {
    processor.count(
        ProcessorPart.REPORTING,
        () -> {
          DecisionEvent staged = event(DecisionEvent.Type.STAGED, now, update, "");
          send(staged.with(SampleViews.moves(report)), now);
        });
  }

  @Override
  public void planned(UpdateRecord update, StepPlan plan, String message, LearnerTime now) {
    processor.count(
        ProcessorPart.REPORTING,
        () -> send(event(DecisionEvent.Type.PLANNED, now, update, message).with(plan), now));
  }

  @Override
  public void serves(long version, String digest) {
    LearnerKey key = context.identity().key();
    ModelNotice notice =
        new ModelNotice(
            key.application(),
            key.partition(),
            version,
            digest,
            context.ports().clock().wallMillis());
    processor.count(ProcessorPart.REPORTING, () -> context.ports().output().notice(notice));
    processor.sent(ProcessorPart.REPORTING);
  }

  /** Sends the answer to a question why a sample has its life stage. */
  void answer(DataController data, @Nullable RowTables tables, String asked, LearnerTime now) {
    processor.count(ProcessorPart.STATUSES, () -> send(answered(data, tables, asked, now), now));
  }

  private DecisionEvent answered(
      DataController data, @Nullable RowTables tables, String asked, LearnerTime now) {
    DecisionEvent answer = event(DecisionEvent.Type.EXPLAINED, now, null, "");
    SampleView view = SampleViews.explain(data, asked);
    if (view.found() && tables != null && data.samples().hasFeatures(view.sampleId())) {
      view =
          view.withIds(
              SampleViews.idOccurrences(
                  context.ports().state().samples(),
                  view.sampleId(),
                  tables,
                  context.identity().settings().input().schema().ids()));
    }
    return answer.with(view);
  }

  private DecisionEvent event(
      DecisionEvent.Type type, LearnerTime now, @Nullable UpdateRecord update, String message) {
    return DecisionEvent.of(
        type,
        new DecisionEvent.Origin(
            context.identity().key().application(),
            context.identity().key().partition(),
            context.ports().clock().wallMillis()),
        status.at(now, type),
        update,
        message);
  }

  private void send(DecisionEvent event, LearnerTime now) {
    if (event.type() == DecisionEvent.Type.STATUS) {
      currentAtMillis = now.millis();
      statusAtMillis = now.millis() + STATUS_MILLIS;
    } else {
      // The status topic must soon contain this status too.
      changed = true;
      statusAtMillis =
          Math.min(now.millis() + STATUS_MILLIS, currentAtMillis + LONGEST_DELAY_MILLIS);
    }
    reportedAtMillis = now.millis();
    context.ports().output().decision(event);
    processor.sent(ProcessorTimes.partOf(event.type()));
    status.sent();
  }
}
