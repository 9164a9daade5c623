package io.idlalayer.benchmarks.campaign.input;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An event before it is written, with what it must be read as.
 *
 * @param values texts by field; a field that is not there is missing
 * @param asIs field whose text is written as it is, without another spelling; "" for none
 * @param spoil what is done to the event as it is written
 */
record Draft(Map<String, String> values, String asIs, Spoil spoil, Reading reading) {
  /** Faults of a whole event. */
  enum Spoil {
    NONE(null),
    FIELD_TOO_FEW(Refusal.FIELDS),
    FIELD_TOO_MUCH(Refusal.FIELDS),
    OPEN_QUOTE(Refusal.QUOTES),
    TEXT_AFTER_QUOTE(Refusal.QUOTES),
    /** The event is written in ISO 8859-1. */
    LATIN_1(Refusal.ENCODING),
    TRUNCATED(Refusal.NO_JSON),
    BARE_NAN(Refusal.NO_JSON),
    SINGLE_QUOTES(Refusal.NO_JSON),
    COMMA_AT_END(Refusal.NO_JSON),
    LEADING_ZERO(Refusal.NO_JSON),
    LEVELS(Refusal.NO_JSON),
    DIGITS(Refusal.NO_JSON),
    SECOND_OBJECT(Refusal.NO_JSON),
    LABEL_TWICE(Refusal.TWICE),
    OBJECT_FOR_LABEL(Refusal.NO_VALUE);

    private final @Nullable Refusal refusal;

    Spoil(@Nullable Refusal refusal) {
      this.refusal = refusal;
    }

    Reading reading() {
      return new Reading(refusal, "", "", "");
    }
  }
}
