package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;

/** The columns of the index that are not keys. */
final class SlotFields {
  static final byte FREE = 0;
  static final byte USED = 1;
  static final byte LABELED = 2;
  static final byte IN_TRAINING = 4;

  final long[] idHash;
  final byte[] stage;
  final byte[] flags;
  final byte[] noiseStreak;
  final int[] frequency;
  final float[] contribution;
  final float[] score;
  final float[] loss;
  final int[] evaluations;
  final int[] trainings;
  final long[] arrivedAtMillis;
  final int[] payloadBytes;
  final float[] gradientNorm;
  final float[] reducibleLoss;
  final float[] contributionRank;
  final float[] lossRank;
  final float[] label;
  final int[] seenInUpdate;

  SlotFields(int length) {
    idHash = new long[length];
    stage = new byte[length];
    flags = new byte[length];
    noiseStreak = new byte[length];
    frequency = new int[length];
    contribution = new float[length];
    score = new float[length];
    loss = new float[length];
    evaluations = new int[length];
    trainings = new int[length];
    arrivedAtMillis = new long[length];
    payloadBytes = new int[length];
    gradientNorm = new float[length];
    reducibleLoss = new float[length];
    contributionRank = new float[length];
    lossRank = new float[length];
    label = new float[length];
    seenInUpdate = new int[length];
  }

  private SlotFields(SlotFields old, int length) {
    idHash = Arrays.copyOf(old.idHash, length);
    stage = Arrays.copyOf(old.stage, length);
    flags = Arrays.copyOf(old.flags, length);
    noiseStreak = Arrays.copyOf(old.noiseStreak, length);
    frequency = Arrays.copyOf(old.frequency, length);
    contribution = Arrays.copyOf(old.contribution, length);
    score = Arrays.copyOf(old.score, length);
    loss = Arrays.copyOf(old.loss, length);
    evaluations = Arrays.copyOf(old.evaluations, length);
    trainings = Arrays.copyOf(old.trainings, length);
    arrivedAtMillis = Arrays.copyOf(old.arrivedAtMillis, length);
    payloadBytes = Arrays.copyOf(old.payloadBytes, length);
    gradientNorm = Arrays.copyOf(old.gradientNorm, length);
    reducibleLoss = Arrays.copyOf(old.reducibleLoss, length);
    contributionRank = Arrays.copyOf(old.contributionRank, length);
    lossRank = Arrays.copyOf(old.lossRank, length);
    label = Arrays.copyOf(old.label, length);
    seenInUpdate = Arrays.copyOf(old.seenInUpdate, length);
  }

  SlotFields grown(int length) {
    return new SlotFields(this, length);
  }

  /** Sets every column; a sample just set is in no training. */
  void set(int slot, SampleMetadata m) {
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

  SampleMetadata get(int slot, ContentHash hash) {
    return new SampleMetadata(
        hash,
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
