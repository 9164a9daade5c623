package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.store.SampleIndex;

/** Finds the k best of many by a rank, highest first, equal ranks by smaller id; expected O(n). */
final class TopScores {
  private final SampleIndex index;
  private final int[] slots;
  private final Rank rank;

  /** What makes a sample better; asked again and again. NaN is worst. */
  interface Rank {
    double of(int slot);
  }

  private TopScores(SampleIndex index, int[] slots, Rank rank) {
    this.index = index;
    this.slots = slots;
    this.rank = rank;
  }

  /** Moves the {@code count} best slots to the front of the array, in no order among themselves. */
  static void select(SampleIndex index, int[] slots, int count, Rank rank) {
    if (count > 0 && count < slots.length) {
      new TopScores(index, slots, rank).partition(count);
    }
  }

  private void partition(int count) {
    int low = 0;
    int high = slots.length - 1;
    while (low < high) {
      int pivot = medianOfThree(low, high);
      int left = low;
      int right = high;
      while (left <= right) {
        while (better(slots[left], pivot)) {
          left++;
        }
        while (better(pivot, slots[right])) {
          right--;
        }
        if (left <= right) {
          swap(left++, right--);
        }
      }
      if (count - 1 <= right) {
        high = right;
      } else if (count - 1 >= left) {
        low = left;
      } else {
        return;
      }
    }
  }

  private int medianOfThree(int low, int high) {
    int a = slots[low];
    int b = slots[(low + high) >>> 1];
    int c = slots[high];
    if (better(a, b)) {
      return better(b, c) ? b : better(a, c) ? c : a;
    }
    return better(a, c) ? a : better(b, c) ? c : b;
  }

  private boolean better(int slot, int other) {
    double mine = rank.of(slot);
    double theirs = rank.of(other);
    int byRank =
        Double.isNaN(mine) || Double.isNaN(theirs)
            ? Boolean.compare(Double.isNaN(theirs), Double.isNaN(mine))
            : Double.compare(mine, theirs);
    return byRank != 0 ? byRank > 0 : index.id(slot) < index.id(other);
  }

  private void swap(int i, int j) {
    int held = slots[i];
    slots[i] = slots[j];
    slots[j] = held;
  }
}
