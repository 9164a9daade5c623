package io.idlalayer.benchmarks.campaign.nemesis;

import io.idlalayer.benchmarks.campaign.check.Observed;
import java.io.IOException;

/** Breaks what a run stands on, one round at a time. */
public interface Nemesis {
  /** Plays a round and returns what was seen. */
  Observed play(Round round) throws IOException, InterruptedException;

  /** The nemeses by name, each with its goal. */
  enum Kind {
    PROCESS(new ProcessNemesis(), 900, 150),
    CLUSTER(new ClusterNemesis(), 100, 25),
    DISK(new DiskNemesis(), 200, 80),
    CLOCK(new ClockNemesis(), 100, 40),
    DATA(new DataNemesis(), 0, 100),
    SETTINGS(new SettingsNemesis(), 100, 40),
    KAFKA(new KafkaNemesis(), 20, 25),
    TRAINER(new TrainerNemesis(), 40, 20),
    TABLES(new TablesNemesis(), 40, 15),
    INPUT(new InputNemesis(), 0, 300);

    private final Nemesis nemesis;
    private final int faults;
    private final int mostRounds;

    /**
     * @param faults that are its goal; 0 if rounds are counted instead
     */
    Kind(Nemesis nemesis, int faults, int mostRounds) {
      this.nemesis = nemesis;
      this.faults = faults;
      this.mostRounds = mostRounds;
    }

    public Nemesis nemesis() {
      return nemesis;
    }

    /** Faults that are its goal; 0 if rounds are counted instead. */
    public int goal() {
      return faults;
    }

    public int mostRounds() {
      return mostRounds;
    }
  }
}
