package io.idlalayer.jobs.run;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Keeps what a run, or several at a time, says. */
public class FakeMonitor implements RunMonitor {
  public final List<String> phases = Collections.synchronizedList(new ArrayList<>());
  public final List<DecisionEvent> events = Collections.synchronizedList(new ArrayList<>());

  @Override
  public void phase(String text) {
    phases.add(text);
  }

  @Override
  public void event(RunView view, DecisionEvent event) {
    events.add(event);
  }

  @Override
  public void tick(RunView view) {}

  /** The events of a type. */
  public final List<DecisionEvent> of(DecisionEvent.Type type) {
    return events.stream().filter(event -> event.type() == type).toList();
  }
}
