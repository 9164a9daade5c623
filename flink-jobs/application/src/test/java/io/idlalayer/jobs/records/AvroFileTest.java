package io.idlalayer.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AvroFileTest {
  private static final int RECORDS = 60;
  private static final int OF_BLOCK = 25;

  private static final Schema SCHEMA =
      AvroFiles.schema(
          "{'type':'record','name':'Click','fields':["
              + "{'name':'id','type':'string'},"
              + "{'name':'price','type':['null','double']},"
              + "{'name':'tags','type':{'type':'array','items':'string'}},"
              + "{'name':'more','type':{'type':'map','values':['long','Click']}}]}");

  @TempDir Path folder;

  private static GenericRecord click(int number) {
    Object price = number % 3 == 0 ? null : number * 0.5;
    List<String> tags = number % 4 == 0 ? List.of() : List.of("a", "tag " + number);
    GenericRecord inner = AvroFiles.record(SCHEMA, "inner", null, List.of(), Map.of());
    return AvroFiles.record(
        SCHEMA, "c" + number, price, tags, Map.of("k", number % 2 == 0 ? (Object) 7L : inner));
  }

  private Path file(String codec) throws IOException {
    return AvroFiles.write(
        folder.resolve("in.avro"), SCHEMA, codec, RECORDS, OF_BLOCK, AvroFileTest::click);
  }

  private static List<byte[]> encoded() throws IOException {
    List<byte[]> all = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      all.add(AvroFiles.encoded(click(i)));
    }
    return all;
  }

  /** Reads the records up to the end, or to where they cannot be read. */
  private static @Nullable IOException read(Path file, List<byte[]> records) {
    try (RecordReader reader = AvroFile.of(file).open(new byte[0])) {
      while (reader.next()) {
        records.add(reader.record());
        assertThat(reader.position()).isEqualTo(records.size());
      }
      return null;
    } catch (IOException refused) {
      return refused;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "deflate", "snappy", "zstandard"})
  void open_eachCodec_givesTheRecordsAsTheyWereWritten(String codec) throws IOException {
    List<byte[]> records = new ArrayList<>();
    assertThat(read(file(codec), records)).isNull();
    assertThat(records).containsExactlyElementsOf(encoded());
  }

  @Test
  void open_gzipOfAFile_isUnpacked() throws IOException {
    byte[] plain = Files.readAllBytes(file("deflate"));
    Path packed = folder.resolve("in.avro.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      out.write(plain);
    }
    List<byte[]> records = new ArrayList<>();
    assertThat(read(packed, records)).isNull();
    assertThat(records).hasSize(RECORDS);
  }

  @Test
  void open_withAPrefix_putsItBeforeEachRecord() throws IOException {
    try (RecordReader reader = AvroFile.of(file("null")).open(new byte[] {0, 1})) {
      assertThat(reader.next()).isTrue();
      byte[] bare = AvroFiles.encoded(click(0));
      assertThat(reader.record()).hasSize(bare.length + 2).startsWith(0, 1).endsWith(bare);
      assertThat(reader.place()).startsWith("the block at byte ");
    }
  }

  @Test
  void open_fileWithoutRecords_isEmpty() throws IOException {
    Path file =
        AvroFiles.write(folder.resolve("in.avro"), SCHEMA, "null", 0, 1, AvroFileTest::click);
    List<byte[]> records = new ArrayList<>();
    assertThat(read(file, records)).isNull();
    assertThat(records).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "deflate"})
  void open_fileCutAnywhere_givesWholeBlocksAndSaysWhere(String codec) throws IOException {
    byte[] whole = Files.readAllBytes(file(codec));
    List<byte[]> expected = encoded();
    Path cut = folder.resolve("cut.avro");
    int silent = 0;
    for (int length = 4; length < whole.length; length++) {
      Files.write(cut, Arrays.copyOf(whole, length));
      List<byte[]> records = new ArrayList<>();
      IOException refused = read(cut, records);
      assertThat(records).containsExactlyElementsOf(expected.subList(0, records.size()));
      assertThat(records.size() % OF_BLOCK).isZero();
      if (refused == null) {
        // The format has no end: a file that is cut between two blocks is a whole one.
        silent++;
        continue;
      }
      assertThat(refused).isInstanceOf(UnreadableFileException.class);
      assertThat(((UnreadableFileException) refused).isCutOff()).isTrue();
      assertThat(refused).hasMessageContaining("byte ").hasMessageEndingWith("copy the file again");
    }
    assertThat(silent).isEqualTo(3);
  }

  @Test
  void open_fileCutInItsSecondBlock_namesTheRecordBeforeAndTheByte() throws IOException {
    byte[] whole = Files.readAllBytes(file("null"));
    Path cut = Files.write(folder.resolve("cut.avro"), Arrays.copyOf(whole, whole.length - 3));
    List<byte[]> records = new ArrayList<>();
    assertThat(read(cut, records))
        .hasMessageMatching(
            ".*cut\\.avro is cut off after record 50: the block at byte [0-9,]+ is not whole; copy the file again");
  }

  @ParameterizedTest
  @EnumSource(AvroCodec.class)
  void open_damagedByte_givesNoOtherRecordsOfItsBlockOrAllOfTheirNumber(AvroCodec codec)
      throws IOException {
    byte[] whole = Files.readAllBytes(file(codec.codec()));
    Path damaged = folder.resolve("damaged.avro");
    Random random = new Random(7);
    for (int i = 0; i < 300; i++) {
      byte[] changed = whole.clone();
      changed[4 + random.nextInt(whole.length - 4)] ^= (byte) (1 << random.nextInt(8));
      Files.write(damaged, changed);
      List<byte[]> records = new ArrayList<>();
      IOException refused = read(damaged, records);
      assertThat(records.size() % OF_BLOCK == 0 || records.size() == RECORDS).isTrue();
      if (refused == null) {
        assertThat(records).hasSize(RECORDS);
      } else {
        assertThat(refused).isInstanceOf(UnreadableFileException.class);
      }
    }
  }

  /** Returns a file of whole numbers, as far as its first block. */
  private static ByteArrayOutputStream numbers(String codec) throws IOException {
    String schema =
        "{'type':'record','name':'N','fields':[{'name':'n','type':'int'}]}".replace('\'', '"');
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(new byte[] {'O', 'b', 'j', 1, 4});
    for (String text : List.of("avro.schema", schema, "avro.codec", codec)) {
      length(bytes, text.length());
      bytes.write(text.getBytes(StandardCharsets.UTF_8));
    }
    bytes.write(0);
    bytes.write(new byte[16]);
    return bytes;
  }

  private static void length(ByteArrayOutputStream bytes, long number) {
    long rest = (number << 1) ^ (number >> 63);
    for (; (rest & ~0x7fL) != 0; rest >>>= 7) {
      bytes.write((int) ((rest & 0x7f) | 0x80));
    }
    bytes.write((int) rest);
  }

  private static void block(ByteArrayOutputStream bytes, long count, byte[] packed)
      throws IOException {
    length(bytes, count);
    length(bytes, packed.length);
    bytes.write(packed);
    bytes.write(new byte[16]);
  }

  @Test
  void open_blockWithBytesAndWithoutRecords_isDamage() throws IOException {
    ByteArrayOutputStream bytes = numbers("null");
    block(bytes, 1, new byte[] {2});
    block(bytes, 0, new byte[0]);
    block(bytes, 0, new byte[] {4});
    block(bytes, 1, new byte[] {6});
    Path file = Files.write(folder.resolve("damaged.avro"), bytes.toByteArray());
    List<byte[]> records = new ArrayList<>();
    assertThat(read(file, records))
        .hasMessageContaining("is damaged after record 1: the block at byte ")
        .hasMessageContaining("says that it has 0 records, but has 1 bytes when unpacked");
    assertThat(records).hasSize(1);
  }

  @Test
  void open_blockOfMoreRecordsThanAreRead_isRefused() throws IOException {
    int count = AvroBlocks.BLOCK_RECORDS_MAX + 1;
    ByteArrayOutputStream bytes = numbers("zstandard");
    block(bytes, count, com.github.luben.zstd.Zstd.compress(new byte[count]));
    Path file = Files.write(folder.resolve("many.avro"), bytes.toByteArray());
    assertThat(read(file, new ArrayList<>()))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining("has 4,194,305 records, and at most 4,194,304 are read");
  }

  @Test
  void of_headerLengthNearTheLargestNumber_isDamage() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(new byte[] {'O', 'b', 'j', 1, 2});
    length(bytes, Long.MAX_VALUE);
    Path file = Files.write(folder.resolve("damaged.avro"), bytes.toByteArray());
    assertThatThrownBy(() -> AvroFile.of(file))
        .hasMessageContaining("its header names a length of 9,223,372,036,854,775,807 bytes");
  }

  @Test
  void open_blockThatIsNoRecords_namesTheBlockAndTheRecord() throws IOException {
    byte[] bytes = Files.readAllBytes(file("null"));
    // The branch of the union of the first record: after the id, of a length and two letters.
    int first = indexOf(bytes, new byte[] {4, 'c', '0'});
    bytes[first + 3] = 8;
    Path file = Files.write(folder.resolve("damaged.avro"), bytes);
    assertThat(read(file, new ArrayList<>()))
        .hasMessageContaining("is damaged before the end of its first record: the block at byte ")
        .hasMessageContaining("record 1: event: it is not a record of its schema: branch 4");
  }

  @Test
  void open_otherSyncMark_isDamage() throws IOException {
    byte[] bytes = Files.readAllBytes(file("null"));
    bytes[bytes.length - 1] = 1;
    Path file = Files.write(folder.resolve("damaged.avro"), bytes);
    assertThat(read(file, new ArrayList<>()))
        .hasMessageContaining("is damaged after record 50")
        .hasMessageContaining("does not end with the mark of this file");
  }

  private static int indexOf(byte[] bytes, byte[] part) {
    for (int at = 0; at + part.length <= bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
        return at;
      }
    }
    throw new AssertionError("not found");
  }

  @Test
  void of_codecThatIsNotRead_isRefusedByItsName() throws IOException {
    String text = new String(Files.readAllBytes(file("null")), StandardCharsets.ISO_8859_1);
    String changed = text.replace("avro.codec\bnull", "avro.codec\bbzip");
    assertThat(changed).isNotEqualTo(text);
    Path file = folder.resolve("other.avro");
    Files.write(file, changed.getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> AvroFile.of(file))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining(
            "its codec is 'bzip'; null, deflate, snappy and zstandard are read; write it with one of"
                + " these");
  }

  @Test
  void of_schemaThatIsNoRecord_isRefused() throws IOException {
    byte[] schema = "\"string\"".getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(new byte[] {'O', 'b', 'j', 1, 2, 22});
    bytes.write("avro.schema".getBytes(StandardCharsets.UTF_8));
    bytes.write(2 * schema.length);
    bytes.write(schema);
    bytes.write(new byte[17]);
    Path file = Files.write(folder.resolve("strings.avro"), bytes.toByteArray());
    assertThatThrownBy(() -> AvroFile.of(file))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageEndingWith(
            "cannot be read by the schema in its header: its schema is not that of a record");
  }

  @Test
  void open_recordsThatTakeNoBytes_areRefused() throws IOException {
    Schema empty = AvroFiles.schema("{'type':'record','name':'Empty','fields':[]}");
    Path file =
        AvroFiles.write(
            folder.resolve("in.avro"), empty, "null", 5, 5, number -> AvroFiles.record(empty));
    assertThat(read(file, new ArrayList<>()))
        .hasMessageContaining("says that it has 5 records, but has 0 bytes when unpacked")
        .hasMessageEndingWith("records without bytes are not read");
  }

  @Test
  void unpacked_moreThanTheLimit_isRefusedByEachCodec() throws IOException {
    byte[] zeros = new byte[1_000];
    ByteArrayOutputStream deflated = new ByteArrayOutputStream();
    try (OutputStream out =
        new DeflaterOutputStream(deflated, new java.util.zip.Deflater(9, true))) {
      out.write(zeros);
    }
    byte[] snappy = org.xerial.snappy.Snappy.compress(zeros);
    byte[] zstandard = com.github.luben.zstd.Zstd.compress(zeros);
    refusesMore(AvroCodec.DEFLATE, deflated.toByteArray());
    refusesMore(AvroCodec.SNAPPY, Arrays.copyOf(snappy, snappy.length + 4));
    refusesMore(AvroCodec.ZSTANDARD, zstandard);
    assertThat(AvroCodec.ZSTANDARD.unpacked(zstandard, 1_000)).isEqualTo(zeros);
  }

  private static void refusesMore(AvroCodec codec, byte[] block) {
    assertThatThrownBy(() -> codec.unpacked(block, 999))
        .isInstanceOf(AvroCodec.TooLongException.class);
  }

  @Test
  void require_anotherSchema_namesTheFirstDifference() throws IOException {
    AvroFile file = AvroFile.of(file("null"));
    file.require(schemaFile(SCHEMA.toString().replace("\"Click\"", "\"Renamed\"")));
    assertThatThrownBy(() -> file.require(schemaFile(SCHEMA.toString().replace("double", "float"))))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining(
            "cannot be sent: it was written with another schema than that of input.schema-file")
        .hasMessageContaining("'price' is double in the file, and float is expected");
  }

  private static RecordSchemas.SchemaFile schemaFile(String text) {
    return new RecordSchemas.SchemaFile("x.avsc", text.getBytes(StandardCharsets.UTF_8), "");
  }
}
