package io.idlalayer.jobs.proposal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class CategoryBucketsTest {
  @Test
  void of_valuesThatWouldShareABucket_haveOneEach() {
    List<String> cities = List.of("K\u00f6ln", "D\u00fcsseldorf");
    assertThat(CategoryBuckets.apart(cities, 16)).isEqualTo(1);
    assertThat(CategoryBuckets.apart(cities, CategoryBuckets.of(cities))).isEqualTo(2);
  }

  @Test
  void of_manyValues_isFourToEightForEachAndNoWorseThanTheFirst() {
    for (int count : new int[] {1, 2, 5, 12, 50, 100}) {
      List<String> values = IntStream.range(0, count).mapToObj(i -> "value-" + i).toList();
      int buckets = CategoryBuckets.of(values);
      assertThat(buckets).isBetween(Math.max(16, 4 * count), Math.max(32, 16 * count));
      assertThat(CategoryBuckets.apart(values, buckets)).isGreaterThanOrEqualTo(count - count / 12);
    }
  }
}
