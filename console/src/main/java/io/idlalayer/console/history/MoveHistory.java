package io.idlalayer.console.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The moves of samples between life stages, by {@code BEFORE>AFTER}.
 *
 * @param counts number of moves since the first event that was read
 * @param points moves in the newest updates
 */
public record MoveHistory(Map<String, Long> counts, List<Point> points) {
  /** The moves of one update. */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Point(long atMillis, @Nullable Long updateNumber, Map<String, Integer> counts) {}
}
