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
public class LearningOperator extends KeyedProcessOperator<String, Arrival, DecisionEvent> {
  private static final long serialVersionUID = 1L;

  private final LearningFunction learning;

  public LearningOperator(LearningFunction learning) {
    super(learning);
    this.learning = learning;
  }

  /** Returns whether all learners of this subtask have learned and published all of their input. */
  final boolean finished() {
    return learning.finished();
  }

  /** Lets all learners of this subtask send their last status. */
  final void sayLastStatuses() {
    learning.sayLastStatuses(this::setCurrentKey);
  }

  /**
   * Lets the learners complete their state before a checkpoint or savepoint. Flink calls it on the
   * thread of the operator, copies keyed state afterwards, and sets the key before each event and
   * timer.
   */
  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    learning.beforeCheckpoint(this::setCurrentKey);
    super.snapshotState(context);
  }
}
