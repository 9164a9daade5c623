package io.idlalayer.benchmarks.campaign;

import java.io.IOException;
import java.util.List;

/** Breaks what a run stands on, one round at a time. */
interface Nemesis {
  /** Plays a round and returns what was seen. */
  History play(Round round) throws IOException, InterruptedException;

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
    TABLES(new TablesNemesis(), 40, 15);

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

    Nemesis nemesis() {
      return nemesis;
    }

    boolean reached(List<RoundResult> own) {
      return faults > 0 && CampaignReport.total(CampaignReport.sum(own)) >= faults;
    }

    int mostRounds() {
      return mostRounds;
    }
  }
}
