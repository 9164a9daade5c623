package io.idlalayer.middleware.cache.donation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The task-time models of all types of application, learned from rows as they arrive: with each row
 * the model is updated by recursive least squares, and after every 16 rows it is fitted anew. The
 * newest rows of each donation are kept, so that many rows of one donation do not displace the rows
 * of others. Confined to one thread.
 */
public final class TaskTimeModels {
  private static final int TYPES_MAX = 64;
  private static final int DONATIONS_MAX = 32;
  private static final int ROWS_PER_DONATION = 12;
  private static final int ROWS_PER_FIT = 16;

  private final Map<String, Learned> types =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Learned> eldest) {
          return size() > TYPES_MAX;
        }
      };

  /** Adds a row to the data of its type's model, and updates or refits that model. */
  public void add(DonationRow row) {
    types.computeIfAbsent(row.jobType(), type -> new Learned()).add(row);
  }

  /**
   * Returns the task-time model of a type of application; empty if it has too few rows, or only
   * rows with one donation.
   */
  Optional<TaskTimeModel> of(String jobType) {
    Learned learned = types.get(jobType);
    return learned == null ? Optional.empty() : learned.model;
  }

  /**
   * Returns for how many different donations there are at least {@code least} rows of a type of
   * application.
   */
  int donationsWithRows(String jobType, int least) {
    Learned learned = types.get(jobType);
    return learned == null
        ? 0
        : (int) learned.rows.values().stream().filter(same -> same.size() >= least).count();
  }

  private static final class Learned {
    /** Kept rows by donation in MiB; the rows of each from the oldest to the newest. */
    private final TreeMap<Double, Deque<DonationRow>> rows = new TreeMap<>();

    private Optional<TaskTimeModel> model = Optional.empty();
    private int sinceFit;

    void add(DonationRow row) {
      Deque<DonationRow> same = rows.computeIfAbsent(row.donationMib(), s -> new ArrayDeque<>());
      same.addLast(row);
      if (same.size() > ROWS_PER_DONATION) {
        same.removeFirst();
      }
      if (rows.size() > DONATIONS_MAX) {
        dropFarthest(row.donationMib());
      }
      sinceFit++;
      if (model.isEmpty() || sinceFit >= ROWS_PER_FIT) {
        fit();
      } else {
        model.get().update(row);
      }
    }

    private void dropFarthest(double donationMib) {
      double first = rows.firstKey();
      double last = rows.lastKey();
      rows.remove(donationMib - first > last - donationMib ? first : last);
    }

    private void fit() {
      List<DonationRow> all = new ArrayList<>();
      rows.values().forEach(all::addAll);
      model = TaskTimeModel.fit(all);
      sinceFit = 0;
    }
  }
}
