package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import org.jspecify.annotations.Nullable;

/** The facts that the mixer knows about a learner. Confined to one thread. */
final class Member {
  private static final StateFormat FORMAT = StateFormat.first("member of a mix");

  /** Name of the learner since its last start. */
  String incarnation;

  /**
   * The incarnation of the learner that the newest version names; "" if the version does not name
   * the learner.
   */
  String named = "";

  /** The newest contribution of the learner that no round has taken; null if there is none. */
  @Nullable MixingRecord waiting;

  /**
   * Whether an earlier round has taken {@link #waiting}, but the model of that round does not
   * contain it.
   */
  boolean again;

  /** The newest contribution of the learner that a model contains; null if there is none. */
  @Nullable MixingRecord contained;

  /**
   * The learner's progress when it joined, until a model contains a contribution of the learner;
   * null if it has not joined.
   */
  @Nullable MixingRecord joined;

  /** The round that took {@link #contained}; 0 if there is none. */
  long containedIn;

  Member(String incarnation) {
    this.incarnation = incarnation;
  }

  /**
   * Returns the number of rows that the learner has trained since its last contribution that a
   * model contains.
   */
  long rowsBehind(MixingRecord contribution) {
    MixingRecord before = contained;
    return Math.max(0, contribution.rows() - (before == null ? 0 : before.rows()));
  }

  /** Returns the model from which the progress of a contribution is computed. */
  MixRound.From from(MixingRecord contribution) {
    return contribution.round() >= containedIn ? MixRound.From.ADOPTED : MixRound.From.CONTRIBUTED;
  }

  /** Returns whether a contribution waits that no round has taken before. */
  boolean fresh() {
    return waiting != null && !again;
  }

  byte[] snapshot() {
    StateWriter out =
        FORMAT.writer().putText(1, incarnation).putText(2, named).putLong(3, containedIn);
    if (waiting != null) {
      out.putBytes(4, waiting.encode());
    }
    if (contained != null) {
      out.putBytes(5, contained.encode());
    }
    if (joined != null) {
      out.putBytes(6, joined.encode());
    }
    return out.putBoolean(7, again).bytes();
  }

  static Member restore(byte[] bytes) {
    StateReader in = FORMAT.reader(bytes);
    Member member = new Member(in.getText(1));
    member.named = in.getText(2);
    member.containedIn = in.getLong(3);
    member.waiting = in.has(4) ? MixingRecord.decode(in.getBytes(4)) : null;
    member.again = in.getBoolean(7);
    member.contained = in.has(5) ? MixingRecord.decode(in.getBytes(5)) : null;
    member.joined = in.has(6) ? MixingRecord.decode(in.getBytes(6)) : null;
    return member;
  }
}
