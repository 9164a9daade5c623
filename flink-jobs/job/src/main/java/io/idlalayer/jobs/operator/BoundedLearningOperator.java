package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.jobs.source.LearnerPlacement;
import java.util.List;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * A {@link LearningOperator} for a stream that can end. When the stream ends, the learners train on
 * the samples that wait and publish the models before the job finishes, as they do at the end of a
 * file.
 */
public final class BoundedLearningOperator extends LearningOperator implements BoundedOneInput {
  private static final long serialVersionUID = 1L;
  private static final String END = "end-of-stream";

  private final List<String> keys;

  /**
   * @param keys Flink keys of all learners of the job
   */
  public BoundedLearningOperator(LearningFunction learning, List<String> keys) {
    super(learning);
    this.keys = List.copyOf(keys);
  }

  /**
   * Tells the learners of this subtask that their input has ended, and waits until they have
   * finished. While the method waits, Flink fires timers and takes checkpoints. After a failure,
   * Flink calls the method again, and the learners continue from the last checkpoint.
   */
  @Override
  public void endInput() throws Exception {
    TaskInfo task = getRuntimeContext().getTaskInfo();
    for (String key : keys) {
      int subtask =
          KeyGroupRangeAssignment.assignKeyToParallelOperator(
              key, LearnerPlacement.KEY_GROUPS, task.getNumberOfParallelSubtasks());
      if (subtask == task.getIndexOfThisSubtask()) {
        Arrival end = new Arrival();
        end.kind = Arrival.END;
        end.key = key;
        end.topicPartition = -1;
        end.offset = -1;
        end.text = END;
        StreamRecord<Arrival> record = new StreamRecord<>(end);
        setKeyContextElement1(record);
        processElement(record);
      }
    }
    MailboxExecutor mailbox =
        getContainingTask()
            .getMailboxExecutorFactory()
            .createExecutor(getOperatorConfig().getChainIndex());
    while (!finished()) {
      mailbox.yield();
    }
    sayLastStatuses();
  }
}
