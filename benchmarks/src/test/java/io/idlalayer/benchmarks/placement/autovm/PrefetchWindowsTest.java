package io.idlalayer.benchmarks.placement.autovm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The example of the source: operations 7 to 12 are the backward pass, 120 bytes are there. */
class PrefetchWindowsTest {
  private static final int FIRST = 7;
  private static final long LIMIT = 120;
  private static final long[] WORKING_SETS = {0, 0, 0, 0, 0, 0, 0, 10, 30, 60, 75, 90, 100};
  private static final long[] RUNTIMES = {0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 2, 5};
  private static final long[] UNKNOWN = {};

  /** Bytes, and nanoseconds of the copy, of outputs 1 to 4. */
  private static final long[] BYTES = {40, 40, 20, 20};

  private static final long[] COPIES = {4, 4, 2, 2};

  /** Returns the starts for outputs in an order; -1 if there is none. */
  private static List<Integer> starts(PrefetchWindows windows, int... outputs) {
    List<Integer> starts = new ArrayList<>();
    for (int output : outputs) {
      OptionalInt start = windows.start(12 - output, BYTES[output - 1], COPIES[output - 1]);
      starts.add(start.orElse(-1));
    }
    return starts;
  }

  private static PrefetchWindows windows(long[] runtimes, Listing listing) {
    return new PrefetchWindows(WORKING_SETS, runtimes, LIMIT, FIRST, listing);
  }

  @Test
  void start_unknownRuntimes_reachesBackAsFarAsThereIsSpace() {
    assertThat(starts(windows(UNKNOWN, Listing.CORRECTED), 1, 2, 3, 4))
        .containsExactly(7, -1, 7, 7);
  }

  @Test
  void start_unknownRuntimesInTheOrderOfConsumers_placesAll() {
    PrefetchWindows windows = windows(UNKNOWN, Listing.CORRECTED);
    assertThat(starts(windows, 4, 3, 2, 1)).containsExactly(7, 7, 7, 10);
    assertThat(Arrays.copyOfRange(windows.used(), 7, 13))
        .containsExactly(90, 90, 100, 115, 90, 100);
  }

  @Test
  void start_knownRuntimes_coversTheCopyAndShrinksWhereSpaceIsMissing() {
    assertThat(starts(windows(RUNTIMES, Listing.CORRECTED), 4, 3, 2, 1))
        .containsExactly(7, 8, 9, 10);
  }

  @Test
  void start_printedListing_startsTooLateOrNotAtAll() {
    // Alone, output 1 needs both operation 10 and 9 to be hidden: the printed listing starts at 10.
    assertThat(starts(windows(RUNTIMES, Listing.PRINTED), 1)).containsExactly(10);
    assertThat(starts(windows(RUNTIMES, Listing.CORRECTED), 1)).containsExactly(9);
    // Beside output 2, operation 9 has no space: the printed listing gives the prefetch up.
    assertThat(starts(windows(RUNTIMES, Listing.PRINTED), 2, 1)).containsExactly(9, -1);
    assertThat(starts(windows(RUNTIMES, Listing.CORRECTED), 2, 1)).containsExactly(9, 10);
  }

  @Test
  void start_tensorAboveTheLimit_isNeverPrefetched() {
    for (long[] runtimes : List.of(UNKNOWN, RUNTIMES)) {
      PrefetchWindows windows = windows(runtimes, Listing.CORRECTED);
      assertThat(windows.start(11, LIMIT + 1, 4)).isEmpty();
      assertThat(windows.used()).isEqualTo(WORKING_SETS);
    }
  }

  @Test
  void create_runtimesOfOtherOperations_areRefused() {
    assertThatThrownBy(() -> windows(new long[] {1}, Listing.CORRECTED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 runtimes were given for 13 operations");
  }
}
