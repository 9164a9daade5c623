package io.idlalayer.benchmarks.lending;

import io.idlalayer.benchmarks.emulation.SlowLink;
import io.idlalayer.benchmarks.lending.LentTraining.Trained;
import io.idlalayer.middleware.lending.borrower.Borrower;
import io.idlalayer.middleware.lending.borrower.BorrowerSettings;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.borrower.LoanUse;
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
import java.util.concurrent.locks.LockSupport;

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
  private static final long LOAN_BYTES = 128L << 20;
  private static final long PROBED_BYTES = 8L << 20;
  private static final long LOOK_NANOS = 1_000_000;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double MEGABYTE = 1e6;

  /** Speeds of local devices, in bytes per second. */
  private static final List<Double> LOCAL_SPEEDS = List.of(0.05e9, 0.1e9, 0.15e9, 0.25e9, 0.5e9);

  private enum Link {
    LOOPBACK("loopback"),
    GIGABIT("1 Gbit/s, 100 us");

    private final String text;

    Link(String text) {
      this.text = text;
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

  /** A way to the lender. */
  private interface Route extends AutoCloseable {
    LenderAddress address();

    @Override
    void close() throws IOException;
  }

  private static Route route(Link link, MemoryLender lender) throws IOException {
    if (link == Link.LOOPBACK) {
      return new Direct(new LenderAddress("127.0.0.1", lender.address().getPort()));
    }
    return new Slow(
        new SlowLink(lender.address(), GIGABIT_BYTES_PER_SECOND, GIGABIT_LATENCY_NANOS));
  }

  private record Direct(LenderAddress address) implements Route {
    @Override
    public void close() {}
  }

  private record Slow(SlowLink link) implements Route {
    @Override
    public LenderAddress address() {
      return new LenderAddress("127.0.0.1", link.port());
    }

    @Override
    public void close() throws IOException {
      link.close();
    }
  }

  /** Real trainings with the devices of the product. */
  private void train(MemoryLender lender, List<Object> rows)
      throws IOException, InterruptedException {
    System.out.printf(
        "%nTrainings with the product's devices, beside a file on this machine (EMULATED"
            + " network)%n%n| network | 1 MiB there and back, local, ms | lent, ms | borrowed |"
            + " copied to and from the loan | a step, ms | SHA-256"
            + " |%n|---|---|---|---|---|---|---|%n");
    LentTraining training = new LentTraining(directory, steps);
    print("no lender", training.run(null), rows);
    for (Link link : Link.values()) {
      try (Route route = route(link, lender)) {
        print(link.text, training.run(route.address()), rows);
      }
    }
  }

  private static void print(String link, Trained trained, List<Object> rows) {
    rows.add(new TrainedOver(link, trained));
    System.out.printf(
        "| %s | %.2f | %.2f | %,d | %,d | %.1f | %s |%n",
        link,
        trained.localNanos() / NANOS_PER_MILLI,
        trained.lentNanos() / NANOS_PER_MILLI,
        trained.borrowedBytes(),
        trained.copiedBytes(),
        trained.stepMillis(),
        trained.digest().substring(0, 12));
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
        try (Route route = route(link, lender)) {
          Ordered found = ordered(link, local, route);
          rows.add(found);
          System.out.printf(
              "| %s | %.0f | %.2f | %.2f | %s |%n",
              link.text,
              local / MEGABYTE,
              found.localRoundTripMillis(),
              found.lentRoundTripMillis(),
              found.borrowed() ? "yes" : "no");
        }
      }
    }
  }

  private static Ordered ordered(Link link, double local, Route route) {
    DeviceSpeed speed = DeviceSpeed.symmetric(local, 0);
    PlaceCost cost = new PlaceCost(speed);
    DeviceSpec spec =
        new DeviceSpec("local", DeviceKind.SLOW, Borrower.BLOCK_BYTES, Borrower.BLOCK_BYTES, speed);
    try (Borrower borrower = new Borrower(BorrowerSettings.of(LoanPeer.SECRET, null))) {
      Place lent = borrower.place(route.address(), PROBED_BYTES, cost);
      try (CombinedArena arena =
          new CombinedArena(List.of(Place.local(new DirectArena(spec), cost), lent))) {
        long nanos = probed(borrower, cost);
        return new Ordered(
            link.text,
            local,
            cost.roundTripNanos() / NANOS_PER_MILLI,
            nanos / NANOS_PER_MILLI,
            arena.byCost()[0] == 1);
      }
    }
  }

  /** Waits until the lender was probed, and its loan is kept or returned. */
  private static long probed(Borrower borrower, PlaceCost local) {
    while (true) {
      for (LoanUse use : borrower.loans()) {
        boolean kept = use.bytes() > 0;
        boolean cheaper = use.roundTripNanos() < local.roundTripNanos();
        if (use.roundTripNanos() > 0 && kept == cheaper) {
          return use.roundTripNanos();
        }
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
