package io.idlalayer.middleware.models.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.jspecify.annotations.Nullable;

/** Ranges against their definition, byte by byte. */
final class RequestedRangePropertyTest {
  private static long[] bytes(RequestedRange range, long total) {
    ContentRange part = range.part();
    if (part == null) {
      return range.satisfiable() ? LongStream.range(0, total).toArray() : new long[0];
    }
    assertThat(part.total()).isEqualTo(total);
    assertThat(part.bytes()).isBetween(1L, total);
    assertThat(ContentRange.parse(part.header())).contains(part);
    return LongStream.rangeClosed(part.first(), part.last()).toArray();
  }

  private static RequestedRange of(@Nullable String header, long total) {
    return RequestedRange.of(header, total);
  }

  @Property
  void of_firstAndLast_areTheBytesBetweenThem(
      @ForAll @IntRange(max = 40) int first,
      @ForAll @IntRange(max = 40) int last,
      @ForAll @IntRange(max = 30) int total) {
    RequestedRange range = of("bytes=%d-%d".formatted(first, last), total);
    long[] expected =
        last < first
            ? LongStream.range(0, total).toArray()
            : LongStream.range(0, total).filter(it -> it >= first && it <= last).toArray();
    assertThat(bytes(range, total)).isEqualTo(expected);
    assertThat(range.satisfiable()).isEqualTo(last < first || first < total);
  }

  @Property
  void of_firstOnly_isTheRest(
      @ForAll @IntRange(max = 40) int first, @ForAll @IntRange(max = 30) int total) {
    assertThat(bytes(of("bytes=" + first + "-", total), total))
        .isEqualTo(LongStream.range(0, total).filter(it -> it >= first).toArray());
  }

  @Property
  void of_suffix_isTheEnd(
      @ForAll @IntRange(max = 40) int count, @ForAll @IntRange(max = 30) int total) {
    RequestedRange range = of("bytes=-" + count, total);
    assertThat(bytes(range, total))
        .isEqualTo(LongStream.range(Math.max(0, total - count), total).toArray());
    assertThat(range.satisfiable()).isEqualTo(count > 0 && total > 0);
  }

  @Property
  void of_anyText_isInsideTheFile(
      @ForAll String text, @ForAll @LongRange(max = Long.MAX_VALUE) long total) {
    for (String header : new String[] {text, "bytes=" + text}) {
      ContentRange part = of(header, total).part();
      if (part != null) {
        assertThat(part.first()).isBetween(0L, part.last());
        assertThat(part.last()).isLessThan(total);
      }
      assertThat(ContentRange.parse(text)).isNotNull();
    }
  }

  @Property
  void of_hugeNumbers_doNotOverflow(@ForAll @LongRange(min = 1) long total) {
    String huge = "9".repeat(50);
    assertThat(of("bytes=%s-".formatted(huge), total).satisfiable()).isFalse();
    assertThat(of("bytes=-%s".formatted(huge), total).part())
        .isEqualTo(new ContentRange(0, total - 1, total));
    assertThat(of("bytes=0-%s".formatted(huge), total).part())
        .isEqualTo(new ContentRange(0, total - 1, total));
  }

  @Property(tries = 1)
  void of_whatIsNoSingleRange_isTheWholeFile() {
    for (String header :
        new String[] {"bytes=0-1,3-4", "items=0-1", "bytes=", "bytes=-", "bytes=a-b", "0-1", ""}) {
      assertThat(of(header, 10)).as(header).isEqualTo(RequestedRange.WHOLE);
    }
    assertThat(of(null, 10)).isEqualTo(RequestedRange.WHOLE);
  }
}
