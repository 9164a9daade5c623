package io.idlalayer.console;

import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.UpdateRecord;
import java.util.ArrayList;
import java.util.List;

/** Events of a learner, as its topics would have them. */
public final class ConsoleEvents {
  public static final String LEARNER = "clicks/0";

  private ConsoleEvents() {}

  /** Returns a status with a number of received events. */
  public static DecisionEvent status(long atMillis, long received) {
    return event(DecisionEvent.Type.STATUS, atMillis, received, 0, null, "");
  }

  /** Returns an event of the learner, which has accepted a number of updates. */
  public static DecisionEvent event(
      DecisionEvent.Type type,
      long atMillis,
      long received,
      long updates,
      UpdateRecord update,
      String message) {
    return DecisionEvent.of(
        type,
        new DecisionEvent.Origin("clicks", 0, atMillis),
        ExampleEvents.status(ExampleEvents.received(received), updates),
        update,
        message);
  }

  /** An update that was fired, staged and published, one second each; two samples a second. */
  public static List<DecisionEvent> update(long number, long atMillis) {
    UpdateRecord whole =
        ExampleEvents.published(
            number, new UpdateRecord.Published(number, atMillis + 2_000), atMillis, 4);
    UpdateRecord fired = UpdateRecord.fired(number, whole.firing());
    List<DecisionEvent> events = new ArrayList<>();
    events.add(
        event(DecisionEvent.Type.FIRED, atMillis, 4 * number, number - 1, fired, "")
            .with(
                ArrivalTimes.of(
                    new long[] {
                      atMillis - 2_000, atMillis - 1_500, atMillis - 1_000, atMillis - 500
                    })));
    events.add(
        event(
            DecisionEvent.Type.STAGED,
            atMillis + 1_000,
            4 * number,
            number,
            fired.trained(whole.requireTraining()),
            ""));
    events.add(
        event(DecisionEvent.Type.PUBLISHED, atMillis + 2_000, 4 * number, number, whole, ""));
    return events;
  }
}
