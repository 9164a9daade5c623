package io.idlalayer.benchmarks.campaign.input;

/** An event is malformed. */
final class RefusedEvent extends Exception {
  private static final long serialVersionUID = 1;

  private final Refusal why;

  RefusedEvent(Refusal why) {
    super(why.name());
    this.why = why;
  }

  Refusal why() {
    return why;
  }
}
