package io.idlalayer.jobs.mixing;

/** A message that a learner sends to the mixer of its application. */
public sealed interface MixingMessage permits MixingRecord, CandidateScores {
  String application();

  int partition();

  /** Returns the random name of the learner since its last start. */
  String incarnation();

  /** Returns this message as bytes, with the version of their format. */
  byte[] encode();

  /**
   * Decodes what {@link #encode} has written.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not an encoded
   *     message
   */
  static MixingMessage decode(byte[] bytes) {
    return CandidateScores.FORMAT.begins(bytes)
        ? CandidateScores.decode(bytes)
        : MixingRecord.decode(bytes);
  }
}
