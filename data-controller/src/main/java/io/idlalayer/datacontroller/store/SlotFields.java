package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;

/** The metadata columns of one page of the sample index. */
final class SlotFields {
  /** Number of slots of a page, a power of two. */
  static final int PAGE = 1 << 10;

  static final int SHIFT = 10;
  static final int MASK = PAGE - 1;

  /** Heap bytes of one slot in all columns, including its part of the arrays' headers. */
  static final int BYTES_PER_SLOT = 5 * Long.BYTES + 15 * Integer.BYTES + 3 * Byte.BYTES + 1;

  static final byte FREE = 0;
  static final byte USED = 1;
  static final byte LABELED = 2;
  static final byte IN_TRAINING = 4;
  static final byte LABEL_ONLY = 8;
  static final byte WEIGHTLESS = 16;
  static final byte DEFAULTED = 32;
  static final byte WITHDRAWN = 64;

  final long[] id = new long[PAGE];
  final long[] hashHigh = new long[PAGE];
  final long[] hashLow = new long[PAGE];
  final long[] idHash = new long[PAGE];
  final byte[] stage = new byte[PAGE];
  final byte[] flags = new byte[PAGE];
  final byte[] noiseStreak = new byte[PAGE];
  final int[] frequency = new int[PAGE];
  final float[] contribution = new float[PAGE];
  final float[] score = new float[PAGE];
  final float[] loss = new float[PAGE];
  final int[] evaluations = new int[PAGE];
  final int[] trainings = new int[PAGE];
  final long[] arrivedAtMillis = new long[PAGE];
  final int[] payloadBytes = new int[PAGE];
  final float[] gradientNorm = new float[PAGE];
  final float[] reducibleLoss = new float[PAGE];
  final float[] contributionRank = new float[PAGE];
  final float[] lossRank = new float[PAGE];
  final float[] label = new float[PAGE];
  final int[] seenInUpdate = new int[PAGE];

  /** Neighbours of a slot in the list of its content, see {@link ContentGroups}. */
  final int[] younger = new int[PAGE];

  final int[] older = new int[PAGE];

  /**
   * Sets every column of a slot from a sample's metadata, and marks the sample as not being in
   * training.
   */
  void set(int slot, SampleMetadata metadata) {
    SampleIdentity identity = metadata.identity();
    hashHigh[slot] = identity.contentHash().high();
    hashLow[slot] = identity.contentHash().low();
    idHash[slot] = identity.idHash();
    payloadBytes[slot] = identity.payloadBytes();
    label[slot] = identity.label();
    int marks = (identity.labeled() ? LABELED : 0) | (identity.labelOnly() ? LABEL_ONLY : 0);
    marks |= identity.weightless() ? WEIGHTLESS : 0;
    marks |=
        switch (identity.source()) {
          case EVENT -> 0;
          case DEFAULT -> DEFAULTED;
          case WITHDRAWN -> WITHDRAWN;
        };
    flags[slot] = (byte) (USED | marks);
    SampleLifecycle life = metadata.lifecycle();
    stage[slot] = life.stage().code();
    frequency[slot] = life.frequency();
    arrivedAtMillis[slot] = life.arrivedAtMillis();
    trainings[slot] = life.trainings();
    evaluations[slot] = life.evaluations();
    noiseStreak[slot] = (byte) Math.min(Byte.MAX_VALUE, life.noiseStreak());
    seenInUpdate[slot] = life.seenInUpdate();
    Measures measures = metadata.measures();
    contribution[slot] = measures.contribution();
    score[slot] = measures.score();
    loss[slot] = measures.loss();
    gradientNorm[slot] = measures.gradientNorm();
    reducibleLoss[slot] = measures.reducibleLoss();
    contributionRank[slot] = measures.contributionRank();
    lossRank[slot] = measures.lossRank();
  }

  LabelSource source(int slot) {
    if ((flags[slot] & DEFAULTED) != 0) {
      return LabelSource.DEFAULT;
    }
    return (flags[slot] & WITHDRAWN) != 0 ? LabelSource.WITHDRAWN : LabelSource.EVENT;
  }

  SampleMetadata get(int slot) {
    return new SampleMetadata(
        new SampleIdentity(
            new ContentHash(hashHigh[slot], hashLow[slot]),
            idHash[slot],
            payloadBytes[slot],
            label[slot],
            (flags[slot] & LABEL_ONLY) != 0,
            (flags[slot] & WEIGHTLESS) != 0,
            source(slot)),
        new SampleLifecycle(
            LifeStage.of(stage[slot]),
            frequency[slot],
            arrivedAtMillis[slot],
            trainings[slot],
            evaluations[slot],
            noiseStreak[slot],
            seenInUpdate[slot]),
        new Measures(
            contribution[slot],
            score[slot],
            loss[slot],
            gradientNorm[slot],
            reducibleLoss[slot],
            contributionRank[slot],
            lossRank[slot]));
  }
}
