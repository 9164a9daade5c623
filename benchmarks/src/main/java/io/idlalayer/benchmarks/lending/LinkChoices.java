package io.idlalayer.benchmarks.lending;

import io.idlalayer.benchmarks.emulation.SlowLink;
import io.idlalayer.benchmarks.lending.LentTraining.Trained;
import io.idlalayer.middleware.lending.borrower.Borrower;
import io.idlalayer.middleware.lending.borrower.BorrowerSettings;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.lender.LenderSettings;
import io.idlalayer.middleware.lending.lender.MemoryLender;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.places.CombinedArena;
import io.idlalayer.middleware.memory.places.Place;
import io.idlalayer.middleware.memory.places.PlaceCost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Which place the product uses for slow tensors, over loopback and over a network of 1 Gbit/s: the
 * probes are real, over sockets, and what is slower than this machine is emulated.
 *
 * @param directory folder of the file with slow tensors
 * @param steps steps of each training
 */
record LinkChoices(Path directory, int steps) {
  private static final double GIGABIT_BYTES_PER_SECOND = 0.117e9;
  private static final long GIGABIT_LATENCY_NANOS = 100_000;
  private static final double UNLIMITED = 1e15;
  private static final long LOAN_BYTES = 128L << 20;
  private static final long PROBED_BYTES = 8L << 20;
  private static final long LOOK_NANOS = 1_000_000;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double MEGABYTE = 1e6;

  /** Speeds of local devices, in bytes per second. */
  private static final List<Double> LOCAL_SPEEDS = List.of(0.05e9, 0.1e9, 0.15e9, 0.25e9, 0.5e9);

  private enum Link {
    LOOPBACK("loopback", UNLIMITED, 0),
    GIGABIT("1 Gbit/s, 100 us", GIGABIT_BYTES_PER_SECOND, GIGABIT_LATENCY_NANOS);

    private final String text;
    private final double bytesPerSecond;
    private final long latencyNanos;

    Link(String text, double bytesPerSecond, long latencyNanos) {
      this.text = text;
      this.bytesPerSecond = bytesPerSecond;
      this.latencyNanos = latencyNanos;
    }
  }

  /** A training over a link. */
  record TrainedOver(String link, Trained trained) {}

  /**
   * The order of places beside a local one of a speed.
   *
   * @param borrowed whether the loan comes first
   */
  record Ordered(
      String link,
      double localBytesPerSecond,
      double localRoundTripMillis,
      double lentRoundTripMillis,
      boolean borrowed) {}

  List<Object> measure() throws IOException, InterruptedException {
    List<Object> rows = new ArrayList<>();
    try (MemoryLender lender =
        MemoryLender.start(
            LenderSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                LoanPeer.SECRET,
                null,
                2 * LOAN_BYTES))) {
      train(lender, rows);
      order(lender, rows);
    }
    return rows;
  }

  /** Real trainings with the devices of the product. */
  private void train(MemoryLender lender, List<Object> rows)
      throws IOException, InterruptedException {
    System.out.printf(
        "%nTrainings with the product's devices, beside a file on this machine (EMULATED network)%n%n"
            + "| network | most bytes lent during the training | bytes that passed the network |"
            + " a step, ms | SHA-256 |%n|---|---|---|---|---|%n");
    LentTraining training = new LentTraining(directory, steps);
    print("none", training.run(null, lender, () -> true), 0, rows);
    for (Link link : Link.values()) {
      try (SlowLink slow = new SlowLink(lender.address(), link.bytesPerSecond, link.latencyNanos)) {
        Trained trained =
            training.run(
                new LenderAddress("127.0.0.1", slow.port()), lender, decided(slow, lender));
        print(link.text, trained, slow.passedBytes(), rows);
      }
    }
  }

  private static void print(String link, Trained trained, long passed, List<Object> rows) {
    rows.add(new TrainedOver(link, trained));
    System.out.printf(
        "| %s | %,d | %,d | %.1f | %s |%n",
        link,
        trained.lentBytes(),
        passed,
        trained.stepMillis(),
        trained.digest().substring(0, 12));
  }

  /**
   * Returns whether the probe of a loan is over and the loan was kept or returned, which is so
   * when what has passed stays the same.
   */
  private static BooleanSupplier decided(SlowLink link, MemoryLender lender) {
    return () -> {
      long before = link.passedBytes();
      if (before < 2 * PROBED_BYTES) {
        return false;
      }
      LockSupport.parkNanos(100 * LOOK_NANOS);
      return link.passedBytes() - before < PROBED_BYTES / 64 || lender.use().loans() == 0;
    };
  }

  /** The order of places beside local devices of many speeds. */
  private static void order(MemoryLender lender, List<Object> rows) throws IOException {
    System.out.printf(
        "%nThe order that `CombinedArena.byCost` gives after the probe (EMULATED network; the"
            + " local device's speed is given)%n%n"
            + "| network | local device, MB/s | 1 MiB there and back, local, ms | lent, ms |"
            + " borrowed |%n|---|---|---|---|---|%n");
    for (Link link : Link.values()) {
      for (double local : LOCAL_SPEEDS) {
        try (SlowLink slow =
            new SlowLink(lender.address(), link.bytesPerSecond, link.latencyNanos)) {
          Ordered found = ordered(link, local, slow, lender);
          rows.add(found);
          System.out.printf(
              Locale.ROOT,
              "| %s | %.0f | %.2f | %s | %s |%n",
              link.text,
              local / MEGABYTE,
              found.localRoundTripMillis(),
              found.borrowed()
                  ? String.format(Locale.ROOT, "%.2f", found.lentRoundTripMillis())
                  : "more",
              found.borrowed() ? "yes" : "no");
        }
      }
    }
  }

  private static Ordered ordered(Link link, double local, SlowLink slow, MemoryLender lender) {
    DeviceSpeed speed = DeviceSpeed.symmetric(local, 0);
    PlaceCost cost = new PlaceCost(speed);
    DeviceSpec spec =
        new DeviceSpec("local", DeviceKind.SLOW, Borrower.BLOCK_BYTES, Borrower.BLOCK_BYTES, speed);
    try (Borrower borrower = new Borrower(BorrowerSettings.of(LoanPeer.SECRET, null))) {
      Place lent =
          borrower.place(new LenderAddress("127.0.0.1", slow.port()), PROBED_BYTES, cost);
      try (CombinedArena arena =
          new CombinedArena(List.of(Place.local(new DirectArena(spec), cost), lent))) {
        BooleanSupplier decided = decided(slow, lender);
        while (!decided.getAsBoolean()) {
          LockSupport.parkNanos(LOOK_NANOS);
        }
        return new Ordered(
            link.text,
            local,
            cost.roundTripNanos() / NANOS_PER_MILLI,
            lent.cost().roundTripNanos() / NANOS_PER_MILLI,
            arena.byCost()[0] == 1);
      }
    }
  }
}
