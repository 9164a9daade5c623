package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.source.Arrival;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;

/**
 * Runs a {@link LearningFunction}, and lets its learners complete their state before each
 * checkpoint and savepoint. A function cannot do that itself: it has the state of the current key
 * only.
 */
public final class LearningOperator extends KeyedProcessOperator<String, Arrival, DecisionEvent> {
  private static final long serialVersionUID = 1L;

  private final LearningFunction learning;

  public LearningOperator(LearningFunction learning) {
    super(learning);
    this.learning = learning;
  }

  /** Flink calls it on the thread of the operator, and copies keyed state afterwards. */
  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    Object before = getCurrentKey();
    learning.beforeCheckpoint(this::setCurrentKey);
    if (before != null) {
      setCurrentKey(before);
    }
    super.snapshotState(context);
  }
}
