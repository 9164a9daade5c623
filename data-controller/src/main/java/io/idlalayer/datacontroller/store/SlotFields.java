package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;

/** The columns of one page of the index. */
final class SlotFields {
  /** Slots of a page: a power of two. */
  static final int PAGE = 1 << 10;

  static final int SHIFT = 10;
  static final int MASK = PAGE - 1;

  /** Heap bytes of a slot in all columns, with its part of the arrays' heads. */
  static final int BYTES_PER_SLOT = 5 * Long.BYTES + 13 * Integer.BYTES + 3 * Byte.BYTES + 1;

  static final byte FREE = 0;
  static final byte USED = 1;
  static final byte LABELED = 2;
  static final byte IN_TRAINING = 4;

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

  /** Sets every column; a sample just set is in no training. */
  void set(int slot, SampleMetadata m) {
    hashHigh[slot] = m.contentHash().high();
    hashLow[slot] = m.contentHash().low();
    idHash[slot] = m.idHash();
    stage[slot] = m.stage().code();
    flags[slot] = m.labeled() ? (byte) (USED | LABELED) : USED;
    noiseStreak[slot] = (byte) Math.min(Byte.MAX_VALUE, m.noiseStreak());
    frequency[slot] = m.frequency();
    contribution[slot] = m.measures().contribution();
    score[slot] = m.measures().score();
    loss[slot] = m.measures().loss();
    evaluations[slot] = m.evaluations();
    trainings[slot] = m.trainings();
    arrivedAtMillis[slot] = m.arrivedAtMillis();
    payloadBytes[slot] = m.payloadBytes();
    gradientNorm[slot] = m.measures().gradientNorm();
    reducibleLoss[slot] = m.measures().reducibleLoss();
    contributionRank[slot] = m.measures().contributionRank();
    lossRank[slot] = m.measures().lossRank();
    label[slot] = m.label();
    seenInUpdate[slot] = m.seenInUpdate();
  }

  SampleMetadata get(int slot) {
    return new SampleMetadata(
        new ContentHash(hashHigh[slot], hashLow[slot]),
        idHash[slot],
        LifeStage.of(stage[slot]),
        frequency[slot],
        new Measures(
            contribution[slot],
            score[slot],
            loss[slot],
            gradientNorm[slot],
            reducibleLoss[slot],
            contributionRank[slot],
            lossRank[slot]),
        evaluations[slot],
        trainings[slot],
        noiseStreak[slot],
        seenInUpdate[slot],
        arrivedAtMillis[slot],
        payloadBytes[slot],
        label[slot]);
  }
}
