package io.idlalayer.console.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.idlalayer.jobs.events.SampleView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a sample.
 *
 * @param answer the newest, null if nobody asked
 * @param moves that the topic told, oldest first; of one sample in 64
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
