package io.idlalayer.console.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.idlalayer.jobs.events.SampleView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The known facts about a sample.
 *
 * @param answer the learner's newest answer about the sample; null if the learner was not asked
 * @param moves moves between life stages, oldest first; the topic reports them for one sample in 64
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record SampleHistory(@Nullable SampleView answer, List<Move> moves) {
  /** One move between life stages. */
  public record Move(
      long atMillis,
      String before,
      String after,
      double score,
      double contribution,
      String cause) {}
}
