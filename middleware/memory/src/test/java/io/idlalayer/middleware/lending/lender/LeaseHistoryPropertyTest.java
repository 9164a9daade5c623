package io.idlalayer.middleware.lending.lender;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.lending.wire.LoanId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of loans against a checker that knows nothing of the lender's state: it has the
 * requests, their answers and their times. Lenders with a fault each show that it finds them.
 */
class LeaseHistoryPropertyTest {
  private static final int UNIT = 8;
  private static final int UNITS = 6;
  private static final long LEASE = 100;
  private static final int OPERATIONS = 200;
  private static final int HISTORIES = 150;

  /** A request, its answer and its time. */
  private record Entry(
      long time, String request, LoanId loan, long offset, byte[] data, String answer) {}

  /** Faults that a lender may have. */
  enum Fault {
    EXPIRES_EARLY,
    NEVER_EXPIRES,
    LENDS_TOO_MUCH,
    SHOWS_OLD_BYTES,
    FORGETS_A_WRITE
  }

  @Property(tries = HISTORIES)
  void history_ofTheLender_isSound(@ForAll long seed) {
    assertThat(problem(seed, lender -> lender)).isNull();
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void history_ofALenderWithAFault_isFound(Fault fault) {
    int found = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      found += problem(seed, lender -> new Faulty(lender, fault)) == null ? 0 : 1;
    }
    assertThat(found).as("histories in which the fault shows").isPositive();
  }

  private static String problem(long seed, Function<Lending, Lending> fault) {
    SplittableRandom random = new SplittableRandom(seed);
    AtomicLong now = new AtomicLong(random.nextLong());
    AtomicLong names = new AtomicLong();
    Lending lender =
        fault.apply(
            new LentMemory(
                UNIT * UNITS, UNIT, LEASE, now::get, () -> new LoanId(1, names.incrementAndGet())));
    List<Entry> history = new ArrayList<>();
    List<LoanId> known = new ArrayList<>();
    Map<LoanId, Long> sizes = new LinkedHashMap<>();
    long start = now.get();
    for (int i = 0; i < OPERATIONS; i++) {
      now.addAndGet(
          random.nextInt(10) == 0 ? random.nextInt((int) LEASE + 20) : random.nextInt(15));
      history.add(operation(random, lender, known, sizes, now.get() - start));
    }
    return new Checker(sizes).check(history);
  }

  private static Entry operation(
      SplittableRandom random,
      Lending lender,
      List<LoanId> known,
      Map<LoanId, Long> sizes,
      long time) {
    int kind = known.isEmpty() ? 0 : random.nextInt(7);
    // Mostly one of the last loans, which may still live.
    int last = random.nextInt(8) == 0 ? known.size() : Math.min(3, known.size());
    LoanId loan = known.isEmpty() ? null : known.get(known.size() - 1 - random.nextInt(last));
    long size = loan == null ? 0 : sizes.get(loan);
    long offset = loan == null ? 0 : random.nextLong(size);
    int length = loan == null ? 0 : (int) Math.min(size - offset, 1 + random.nextInt(12));
    try {
      switch (kind) {
        case 0 -> {
          long bytes = 1L + random.nextInt(3 * UNIT);
          LoanId made = lender.lend(bytes);
          known.add(made);
          sizes.put(made, bytes);
          return new Entry(time, "lend", made, bytes, new byte[0], "done");
        }
        case 1, 2 -> {
          byte[] data = new byte[length];
          random.nextBytes(data);
          lender.put(loan, offset, ByteBuffer.wrap(data));
          return new Entry(time, "put", loan, offset, data, "done");
        }
        case 3, 4 -> {
          byte[] data = new byte[length];
          lender.get(loan, offset, ByteBuffer.wrap(data));
          return new Entry(time, "get", loan, offset, data, "done");
        }
        case 5 -> {
          lender.renew(loan);
          return new Entry(time, "renew", loan, 0, new byte[0], "done");
        }
        default -> {
          lender.giveBack(loan);
          return new Entry(time, "return", loan, 0, new byte[0], "done");
        }
      }
    } catch (NoRoomException full) {
      return new Entry(time, "lend", null, 0, new byte[0], "no room");
    } catch (UnknownLoanException unknown) {
      return new Entry(time, "use", loan, 0, new byte[0], "unknown");
    }
  }

  /** Knows what a lender promises: leases, a limit, and that bytes are those last written. */
  private static final class Checker {
    private final Map<LoanId, Long> sizes;
    private final Map<LoanId, byte[]> live = new LinkedHashMap<>();
    private final Map<LoanId, Long> ends = new LinkedHashMap<>();

    Checker(Map<LoanId, Long> sizes) {
      this.sizes = sizes;
    }

    String check(List<Entry> history) {
      for (Entry entry : history) {
        live.keySet().removeIf(loan -> ends.get(loan) <= entry.time());
        String problem = entry.request().equals("lend") ? lent(entry) : used(entry);
        if (problem != null) {
          return problem + " at " + entry.time();
        }
      }
      return null;
    }

    private long units() {
      return live.keySet().stream().mapToLong(loan -> (sizes.get(loan) - 1) / UNIT + 1).sum();
    }

    private String lent(Entry entry) {
      if (entry.answer().equals("no room")) {
        return units() + 3 <= UNITS ? "a loan was refused although three units were free" : null;
      }
      if (live.containsKey(entry.loan())) {
        return "a name was given twice";
      }
      live.put(entry.loan(), new byte[(int) entry.offset()]);
      ends.put(entry.loan(), entry.time() + LEASE);
      return units() > UNITS ? "more was lent than there is" : null;
    }

    private String used(Entry entry) {
      byte[] bytes = live.get(entry.loan());
      if (entry.answer().equals("unknown")) {
        return bytes == null ? null : "a loan ended before its lease";
      }
      if (bytes == null) {
        return "a loan was used after its end";
      }
      ends.put(entry.loan(), entry.time() + LEASE);
      for (int i = 0; i < entry.data().length; i++) {
        int at = (int) entry.offset() + i;
        if (entry.request().equals("put")) {
          bytes[at] = entry.data()[i];
        } else if (bytes[at] != entry.data()[i]) {
          return "byte %d was not the last one written".formatted(at);
        }
      }
      if (entry.request().equals("return")) {
        live.remove(entry.loan());
      }
      return null;
    }
  }

  /** A lender with a fault. */
  private static final class Faulty implements Lending {
    private final Lending lender;
    private final Fault fault;
    private final Map<LoanId, byte[]> shadows = new LinkedHashMap<>();
    private byte[] lastWritten = new byte[0];
    private int uses;

    Faulty(Lending lender, Fault fault) {
      this.lender = lender;
      this.fault = fault;
    }

    @Override
    public LoanId lend(long bytes) throws NoRoomException {
      try {
        LoanId loan = lender.lend(bytes);
        shadows.put(loan, new byte[(int) bytes]);
        return loan;
      } catch (NoRoomException full) {
        if (fault != Fault.LENDS_TOO_MUCH) {
          throw full;
        }
        LoanId loan = new LoanId(2, shadows.size());
        shadows.put(loan, new byte[(int) bytes]);
        return loan;
      }
    }

    private void mayEnd(LoanId loan) throws UnknownLoanException {
      if (fault == Fault.EXPIRES_EARLY && ++uses % 15 == 0) {
        lender.giveBack(loan);
      }
    }

    @Override
    public void put(LoanId loan, long offset, ByteBuffer data) throws UnknownLoanException {
      mayEnd(loan);
      byte[] bytes = new byte[data.remaining()];
      data.duplicate().get(bytes);
      if (fault == Fault.FORGETS_A_WRITE && ++uses % 7 == 0) {
        lender.renew(loan);
        return;
      }
      if (!spared(loan)) {
        lender.put(loan, offset, data);
      }
      System.arraycopy(bytes, 0, shadows.get(loan), (int) offset, bytes.length);
      lastWritten = bytes;
    }

    @Override
    public void get(LoanId loan, long offset, ByteBuffer target) throws UnknownLoanException {
      mayEnd(loan);
      if (spared(loan)) {
        target.put(shadows.get(loan), (int) offset, target.remaining());
        return;
      }
      lender.get(loan, offset, target);
      if (fault == Fault.SHOWS_OLD_BYTES && lastWritten.length > 0 && ++uses % 7 == 0) {
        target.put(target.position() - 1, (byte) (target.get(target.position() - 1) + 1));
      }
    }

    /** Returns whether a loan that the lender does not know is served all the same. */
    private boolean spared(LoanId loan) throws UnknownLoanException {
      if (loan.high() == 2) {
        return true;
      }
      try {
        lender.renew(loan);
        return false;
      } catch (UnknownLoanException ended) {
        if (fault == Fault.NEVER_EXPIRES) {
          return true;
        }
        throw ended;
      }
    }

    @Override
    public void renew(LoanId loan) throws UnknownLoanException {
      mayEnd(loan);
      if (!spared(loan)) {
        lender.renew(loan);
      }
    }

    @Override
    public void giveBack(LoanId loan) throws UnknownLoanException {
      if (loan.high() == 2) {
        return;
      }
      lender.giveBack(loan);
    }
  }
}
