package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.LearnerPlacement;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link MixFunction}. If the stream of a job ends, the operator publishes everything that
 * learners have contributed before the job is finished.
 */
public final class MixOperator extends KeyedProcessOperator<String, byte[], ModelNotice>
    implements BoundedOneInput {
  private static final long serialVersionUID = 1L;

  private final MixFunction mixing;

  MixOperator(MixFunction mixing) {
    super(mixing);
    this.mixing = mixing;
  }

  /**
   * Attaches the mixer to the learners of a job.
   *
   * @param decisions output of the operator that runs the learners
   * @param models default folder of models; null if all applications name one
   * @param name stable id of the operator
   * @return the notices of the versions that the mixer publishes
   */
  public static DataStream<ModelNotice> attach(
      SingleOutputStreamOperator<DecisionEvent> decisions,
      List<ApplicationSettings> applications,
      @Nullable Path models,
      String name) {
    return decisions
        .getSideOutput(LearningFunction.MIXING)
        .keyBy(bytes -> MixingMessage.decode(bytes).application(), Types.STRING)
        .transform(
            name,
            TypeInformation.of(ModelNotice.class),
            new MixOperator(new MixFunction(applications, models)))
        .uid(name)
        .setMaxParallelism(LearnerPlacement.KEY_GROUPS);
  }

  @Override
  public void open() throws Exception {
    super.open();
    List<String> restored;
    try (Stream<String> keys =
        this.<String>getKeyedStateBackend()
            .getKeys(MixFunction.MIXER_STATE, VoidNamespace.INSTANCE)) {
      restored = keys.toList();
    }
    for (String application : restored) {
      setCurrentKey(application);
      mixing.resume(application);
    }
  }

  @Override
  public void endInput() throws Exception {
    MailboxExecutor mailbox =
        getContainingTask()
            .getMailboxExecutorFactory()
            .createExecutor(getOperatorConfig().getChainIndex());
    while (!mixing.idle()) {
      mailbox.yield();
    }
  }
}
