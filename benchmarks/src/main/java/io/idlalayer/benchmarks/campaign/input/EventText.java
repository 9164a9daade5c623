package io.idlalayer.benchmarks.campaign.input;

/** Writes events as text: one event is a line, or several if a field in quotes has line ends. */
interface EventText {
  /** Returns the header line, without its end. */
  String header();

  /** Returns an event, without a line end behind it. */
  String event(Draft draft);
}
