package io.idlalayer.console.history;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.idlalayer.jobs.events.DecisionEvent;
import org.jspecify.annotations.Nullable;

/**
 * A note about a learner, for display.
 *
 * @param updateNumber number of the update that the note is about; null if there is none
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record Note(
    long atMillis, DecisionEvent.Type type, @Nullable Long updateNumber, String message) {}
