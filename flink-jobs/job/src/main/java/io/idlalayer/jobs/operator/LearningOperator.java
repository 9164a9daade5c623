package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.source.Arrival;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;

/**
 * Runs a {@link LearningFunction}, and lets its learners complete their state before each
 * checkpoint and savepoint. A Flink function cannot do this itself, because before a checkpoint it
 * has no access to the state of all keys.
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
   * Lets the learners complete their state before a checkpoint or savepoint. Flink calls this
   * method on the thread of the operator, and copies keyed state afterwards. Changing the current
   * key here is safe, because Flink sets the key before each event and timer.
   */
  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    learning.beforeCheckpoint(this::setCurrentKey);
    super.snapshotState(context);
  }
}
