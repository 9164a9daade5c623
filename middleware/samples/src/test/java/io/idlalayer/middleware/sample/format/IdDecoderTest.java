package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.IdKeys;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.Schemas;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class IdDecoderTest {
  private final SampleDecoder csv = new CsvSampleDecoder(Schemas.withIds(), TextForm.PLAIN);
  private final SampleDecoder json = new JsonSampleDecoder(Schemas.withIds());
  private final SampleDecoder binary = new BinarySampleDecoder(Schemas.withIds());
  private final SampleCodec codec = new SampleCodec();

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The ids of a user and of tags. */
  private static IdLists ids(String user, String... tags) {
    long[] keys = new long[1 + tags.length];
    keys[0] = IdKeys.of(user);
    for (int i = 0; i < tags.length; i++) {
      keys[1 + i] = IdKeys.of(tags[i]);
    }
    return new IdLists(keys, new int[] {1, keys.length});
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "{\"a\":1,\"user\":17,\"tags\":[\"x\",7,true]}; 17,1,x|7|true,",
        "{\"a\":1,\"user\":\"17\",\"tags\":[7]}; 17,1,7,",
        "{\"a\":1,\"user\":[17],\"tags\":7}; 17,1,7,",
        "{\"a\":1,\"user\":1.50,\"tags\":[null,\"x\",\"\"]}; 1.50,1,|x|,",
        "{\"a\":1,\"user\":null,\"tags\":[]}; ,1,,",
        "{\"a\":1,\"user\":\"\",\"tags\":[null]}; ,1,|,",
        "{\"a\":1}; ,1,,",
        "{\"a\":1,\"user\":\"a|b\",\"tags\":\"s\\u0063h\u00f6n\"}; a|b,1,sch\u00f6n,"
      })
  void decode_sameIdsInJsonAndCsv_areTheSameKeys(String event, String row) throws Exception {
    Sample sample = json.decode(utf8(event));
    assertThat(sample.ids()).isEqualTo(csv.decode(utf8(row)).ids());
    assertThat(binary.decode(codec.encode(sample)).ids()).isEqualTo(sample.ids());
  }

  @Test
  void decode_ids_becomeTheirKeys() throws Exception {
    assertThat(csv.decode(utf8("17,1,x|y,no")).ids()).isEqualTo(ids("17", "x", "y"));
    assertThat(json.decode(utf8("{\"a\":1,\"tags\":[\"x|y\"]}")).ids()).isEqualTo(ids("", "x|y"));
    assertThat(json.decode(utf8("{\"a\":1,\"user\":-0}")).ids()).isEqualTo(ids("-0", ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "{\"a\":1,\"tags\":[1,2,3,4,5]}; tags: 5 ids where at most 3 are expected",
        "{\"a\":1,\"user\":[1,2]}; user: 2 ids where at most 1 are expected",
        "{\"a\":1,\"user\":{}}; user: an object where a value",
        "{\"a\":1,\"tags\":[1,[2]]}; tags: element 1 is not an id",
        "{\"a\":1,\"tags\":[{}]}; tags: element 0 is not an id",
        "{\"a\":1,\"user\":1,\"user\":1}; user: named twice",
        "{\"a\":1,\"tags\":[1; byte"
      })
  void decode_badIdsInJson_areRefusedNamingTheField(String event, String reason) {
    assertThatThrownBy(() -> json.decode(utf8(event)))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessageContaining(reason.strip());
  }

  @Test
  void decode_moreThanExpected_saysHowMany() {
    SampleSchema fifty =
        new SampleSchema(
            List.of("tags", "y"),
            List.of(),
            List.of(),
            List.of(new IdFeature("tags", 50)),
            new SampleSchema.Label("y", Task.REGRESSION, List.of()),
            null);
    String row = String.join("|", Collections.nCopies(51, "t"));
    assertThatThrownBy(() -> new CsvSampleDecoder(fifty, TextForm.PLAIN).decode(utf8(row + ",1")))
        .isInstanceOf(MalformedSampleException.class)
        .hasMessage("tags: 51 ids where at most 50 are expected");
  }

  @Test
  void decode_longId_isRefusedWithoutItsText() throws Exception {
    String most = "x".repeat(4096);
    assertThat(csv.decode(utf8(most + ",1,,")).ids()).isEqualTo(ids(most, ""));
    for (String event : List.of(most + "x,1,,", ",1,a|" + most + "x|b,")) {
      assertThatThrownBy(() -> csv.decode(utf8(event)))
          .isInstanceOf(MalformedSampleException.class)
          .hasMessageContaining(": an id of 4097 characters; at most 4096");
    }
    assertThatThrownBy(() -> json.decode(utf8("{\"a\":1,\"user\":\"" + most + "x\"}")))
        .hasMessage("user: an id of 4097 characters; at most 4096");
  }

  @Test
  void decode_criteoRow_givesKeysInPlace() throws Exception {
    SampleDecoder criteo = new CriteoTsvSampleDecoder(Schemas.criteoIds(), EventEncoding.UTF_8);
    String row = "1" + "\t2".repeat(13) + "\t68fd1e64".repeat(13) + "\t" + "\tfb936136".repeat(12);
    Sample sample = criteo.decode(utf8(row));
    assertThat(sample.categorical()).isEmpty();
    assertThat(sample.ids().features()).isEqualTo(26);
    assertThat(sample.ids().key(0)).isEqualTo(IdKeys.of("68fd1e64"));
    assertThat(sample.ids().key(13)).isEqualTo(IdLists.MISSING);
    assertThat(sample.ids().key(25)).isEqualTo(IdKeys.of("fb936136"));
  }

  @Test
  void decode_idThatIsTheEventsOwnToo_fillsBoth() throws Exception {
    SampleSchema both =
        new SampleSchema(
            List.of(),
            List.of(),
            List.of(),
            List.of(new IdFeature("user", 2)),
            new SampleSchema.Label("y", Task.REGRESSION, List.of()),
            "user");
    SampleDecoder decoder = new JsonSampleDecoder(both);
    Sample sample = decoder.decode(utf8("{\"user\":7,\"y\":1}"));
    assertThat(sample.id()).isEqualTo("7");
    assertThat(sample.dense()).isEmpty();
    assertThat(sample.ids()).isEqualTo(IdLists.single(IdKeys.of("7")));
    assertThatThrownBy(() -> decoder.decode(utf8("{\"user\":[7],\"y\":1}")))
        .hasMessage("user: an array where a value is expected");
  }

  @Test
  void decode_binaryEventOfAnotherSchema_isRefused() {
    List<IdLists> wrong =
        List.of(
            IdLists.NONE,
            IdLists.single(5),
            IdLists.single(5, IdLists.UNKNOWN),
            new IdLists(new long[] {5, 6, 7}, new int[] {2, 3}),
            new IdLists(new long[] {5, 6, 7, 8, 9}, new int[] {1, 5}));
    for (IdLists ids : wrong) {
      byte[] event = codec.encode(new Sample("", new double[1], new int[0], ids, 0));
      assertThatThrownBy(() -> binary.decode(event)).isInstanceOf(MalformedSampleException.class);
    }
  }

  private static SampleSchema fixed(RowIndex user, RowIndex tags) {
    SampleSchema open = Schemas.withIds();
    return new SampleSchema(
        open.columns(),
        open.dense(),
        open.categorical(),
        List.of(new IdFeature("user", 1, user), new IdFeature("tags", 3, tags)),
        open.label(),
        open.id());
  }

  /** 33 is the row of 17 among 1,000, see RowIndexPropertyTest. */
  @Test
  void decode_idsOfTablesOfFixedSize_areRowsInEveryFormat() throws Exception {
    SampleSchema schema = fixed(RowIndex.hash(1_000), RowIndex.number(5));
    IdLists expected =
        new IdLists(new long[] {33 + 2, 4 + 2, IdLists.UNKNOWN, 0 + 2}, new int[] {1, 4});
    assertThat(new CsvSampleDecoder(schema, TextForm.PLAIN).decode(utf8("17,1,4|5|0,")).ids())
        .isEqualTo(expected);
    for (String tags : List.of("[4,5,0]", "[\"4\",-1,\"0\"]", "[4,1e18,0]", "[4,\"x\",null,0]")) {
      byte[] event = utf8("{\"a\":1,\"user\":17,\"tags\":%s}".formatted(tags));
      assertThat(new JsonSampleDecoder(schema).decode(event).ids()).as(tags).isEqualTo(expected);
    }
    Sample keys =
        new Sample(
            "",
            new double[] {1},
            new int[0],
            new IdLists(new long[] {IdKeys.of("17"), 4 + 2, 5 + 2, 0 + 2}, new int[] {1, 4}),
            Sample.NO_LABEL);
    assertThat(new BinarySampleDecoder(schema).decode(codec.encode(keys)).ids())
        .isEqualTo(expected);
    SampleDraft draft = new SampleDraft(schema);
    draft.dense(0, 0, 1);
    draft.id(0, "17");
    for (String tag : List.of("4", "9", "0")) {
      draft.id(1, tag);
    }
    assertThat(draft.sample().ids()).isEqualTo(expected);
  }

  @Test
  void decode_missingIdsOfTablesOfFixedSize_areMissing() throws Exception {
    SampleSchema schema = fixed(RowIndex.hash(1_000), RowIndex.number(5));
    IdLists expected = IdLists.single(IdLists.MISSING, IdLists.MISSING);
    Sample csvRow = new CsvSampleDecoder(schema, TextForm.PLAIN).decode(utf8(",1,,"));
    assertThat(csvRow.ids()).isEqualTo(expected);
    assertThat(new JsonSampleDecoder(schema).decode(utf8("{\"a\":1}")).ids()).isEqualTo(expected);
    assertThat(new BinarySampleDecoder(schema).decode(codec.encode(csvRow)).ids())
        .isEqualTo(expected);
  }
}
