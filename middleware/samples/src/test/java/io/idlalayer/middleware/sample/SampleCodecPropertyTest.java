package io.idlalayer.middleware.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.format.BinarySampleDecoder;
import io.idlalayer.middleware.sample.format.CriteoTsvSampleDecoder;
import io.idlalayer.middleware.sample.format.CsvSampleDecoder;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

final class SampleCodecPropertyTest {
  private final SampleCodec codec = new SampleCodec();

  @Provide
  Arbitrary<Sample> samples() {
    Arbitrary<Double> any =
        Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(3, Arbitraries.doubles()),
            net.jqwik.api.Tuple.of(
                3, Arbitraries.longs().map(bits -> number(Double.longBitsToDouble(bits)))),
            net.jqwik.api.Tuple.of(3, Arbitraries.floats().map(Float::doubleValue)),
            net.jqwik.api.Tuple.of(6, decimals()),
            net.jqwik.api.Tuple.of(
                1,
                Arbitraries.of(
                    0.0,
                    -0.0,
                    Double.MIN_VALUE,
                    Double.NaN,
                    (double) Float.MAX_VALUE,
                    (double) Float.MIN_VALUE,
                    134_217_727.0,
                    134_217_728.1,
                    -134_217_727.5,
                    8_796_093_022_207.0,
                    8_796_093_022_208.5,
                    1.7e12 + 0.25)));
    Arbitrary<Integer> level = Arbitraries.integers().between(0, 255);
    Arbitrary<List<Double>> dense =
        Arbitraries.oneOf(
            any.list().ofMaxSize(40),
            decimals().list().ofMaxSize(40),
            level.map(k -> k / 255.0).list().ofMaxSize(40),
            level.map(k -> (double) (k / 255f)).list().ofMaxSize(40),
            level.map(k -> Double.parseDouble(Float.toString(k / 255f))).list().ofMaxSize(40));
    return Combinators.combine(
            Arbitraries.strings().ofMaxLength(20),
            dense,
            Arbitraries.integers().list().ofMaxSize(8),
            ids(),
            Arbitraries.oneOf(any, Arbitraries.just(Double.NaN)))
        .as(
            (id, values, buckets, ids, label) ->
                new Sample(
                    id,
                    values.stream().mapToDouble(Double::doubleValue).toArray(),
                    buckets.stream().mapToInt(Integer::intValue).toArray(),
                    ids,
                    label));
  }

  private static Arbitrary<IdLists> ids() {
    Arbitrary<Integer> counts =
        Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(9, Arbitraries.integers().between(1, 5)),
            net.jqwik.api.Tuple.of(1, Arbitraries.of(127, 128, 129, 16_383, 16_384, 40_000)));
    return Combinators.combine(counts.list().ofMaxSize(6), Arbitraries.longs())
        .as(
            (sizes, seed) -> {
              int[] ends = sizes.stream().mapToInt(Integer::intValue).toArray();
              Arrays.parallelPrefix(ends, Integer::sum);
              int keys = ends.length == 0 ? 0 : ends[ends.length - 1];
              return new IdLists(new SplittableRandom(seed).longs(keys).toArray(), ends);
            });
  }

  /** Numbers as they are written, with up to 17 digits. */
  private static Arbitrary<Double> decimals() {
    return Combinators.combine(
            Arbitraries.longs().between(-99_999_999_999_999_999L, 99_999_999_999_999_999L),
            Arbitraries.integers().between(0, 17),
            Arbitraries.integers().between(0, 18))
        .as((digits, fewer, fraction) -> Double.parseDouble(written(digits, fewer, fraction)));
  }

  private static String written(long digits, int fewer, int fraction) {
    return BigDecimal.valueOf(digits / (long) Math.pow(10, fewer), fraction).toString();
  }

  private static double number(double value) {
    return Double.isNaN(value) ? 1 : value;
  }

  private static boolean encodable(Sample sample) {
    return java.nio.charset.StandardCharsets.UTF_8.newEncoder().canEncode(sample.id());
  }

  @Property(tries = 500)
  void decode_encodedSample_isTheSameBitForBit(@ForAll("samples") Sample sample) throws Exception {
    net.jqwik.api.Assume.that(encodable(sample));
    Sample back = codec.decode(codec.encode(sample));
    assertThat(back.id()).isEqualTo(sample.id());
    assertThat(bits(back.dense())).isEqualTo(bits(sample.dense()));
    assertThat(back.categorical()).isEqualTo(sample.categorical());
    assertThat(back.ids()).isEqualTo(sample.ids());
    assertThat(Double.doubleToRawLongBits(back.label()))
        .isEqualTo(Double.doubleToRawLongBits(sample.label()));
  }

  private static long[] bits(double[] values) {
    long[] bits = new long[values.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Double.doubleToRawLongBits(values[i]);
    }
    return bits;
  }

  @Property(tries = 500)
  void decode_flippedBit_isRefused(
      @ForAll("samples") Sample sample, @ForAll @IntRange(max = 1 << 20) int at) {
    byte[] bytes = codec.encode(sample);
    int bit = at % (bytes.length * 8);
    bytes[bit / 8] ^= (byte) (1 << (bit % 8));
    assertThatThrownBy(() -> codec.decode(bytes)).isInstanceOf(MalformedSampleException.class);
  }

  @Property(tries = 200)
  void decode_otherLength_isRefused(
      @ForAll("samples") Sample sample, @ForAll @IntRange(max = 1 << 20) int at) {
    byte[] bytes = codec.encode(sample);
    byte[] cut = Arrays.copyOf(bytes, at % bytes.length);
    assertThatThrownBy(() -> codec.decode(cut)).isInstanceOf(MalformedSampleException.class);
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> codec.decode(longer)).isInstanceOf(MalformedSampleException.class);
  }

  @Property(tries = 1000)
  void decode_anyBytes_isRefusedAsMalformed(@ForAll byte[] bytes) {
    List<SampleDecoder> decoders =
        List.of(
            new BinarySampleDecoder(Schemas.small()),
            new CsvSampleDecoder(Schemas.small(), TextForm.PLAIN),
            new CriteoTsvSampleDecoder(Schemas.criteo(), EventEncoding.UTF_8),
            new CriteoTsvSampleDecoder(Schemas.criteoIds(), EventEncoding.UTF_8),
            new BinarySampleDecoder(Schemas.withIds()),
            new CsvSampleDecoder(Schemas.withIds(), TextForm.PLAIN),
            new JsonSampleDecoder(Schemas.withIds()),
            new JsonSampleDecoder(Schemas.small()));
    for (SampleDecoder decoder : decoders) {
      assertThatThrownBy(() -> decoder.decode(bytes)).isInstanceOf(MalformedSampleException.class);
    }
  }

  @Property(tries = 300)
  void contentHash_dependsOnFeaturesAndLabelOnly(@ForAll("samples") Sample sample) {
    Sample renamed =
        new Sample(
            "other", sample.dense().clone(), sample.categorical(), sample.ids(), sample.label());
    assertThat(ContentHasher.of(renamed)).isEqualTo(ContentHasher.of(sample));
    double other = sample.label() == 1 ? 2 : 1;
    assertThat(ContentHasher.of(sample.withLabel(other))).isNotEqualTo(ContentHasher.of(sample));
  }

  @Property(tries = 300)
  void contentHash_dependsOnIds(@ForAll("samples") Sample sample) {
    List<IdLists> others =
        List.of(
            IdLists.NONE,
            IdLists.single(7),
            IdLists.single(8),
            IdLists.single(7, 8),
            new IdLists(new long[] {7, 8}, new int[] {2}),
            new IdLists(new long[] {8, 7}, new int[] {2}));
    assertThat(others.stream().map(ids -> ContentHasher.of(withIds(sample, ids))))
        .doesNotHaveDuplicates();
  }

  private static Sample withIds(Sample sample, IdLists ids) {
    return new Sample(sample.id(), sample.dense(), sample.categorical(), ids, sample.label());
  }

  /** Bytes whose checksum is right and whose counts are not. */
  @Property(tries = 2000)
  void decode_damagedCounts_isRefusedOrEncodesAgain(
      @ForAll("samples") Sample sample, @ForAll long seed) {
    byte[] bytes = codec.encode(sample);
    SplittableRandom random = new SplittableRandom(seed);
    int from = random.nextBoolean() ? 0 : Math.max(0, bytes.length - 60);
    for (int i = 0; i <= random.nextInt(3); i++) {
      int at = random.nextInt(from, Math.min(bytes.length, from + 60));
      bytes[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) 0xFF;
    }
    SampleCodecTest.sign(bytes);
    try {
      Sample read = codec.decode(bytes);
      assertThat(codec.decode(codec.encode(read)).ids()).isEqualTo(read.ids());
    } catch (MalformedSampleException refused) {
      assertThat(refused.field()).isNotEmpty();
    }
  }
}
