package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.Schemas;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecordReaderTest {
  @TempDir Path folder;

  private static String text(LineRecordReader reader) {
    return new String(reader.record(), java.nio.charset.StandardCharsets.UTF_8);
  }

  private static List<String> lines(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    try (LineRecordReader reader = LineRecordReader.open(file)) {
      while (reader.next()) {
        lines.add(reader.position() + ":" + text(reader));
      }
    }
    return lines;
  }

  @Test
  void next_anyLineEndings_readsEveryLine() throws IOException {
    Path file = folder.resolve("a.csv");
    Files.writeString(file, "one\r\n\r\ntwo\n  \nthree");
    assertThat(lines(file)).containsExactly("1:one", "3:two", "5:three");
    Files.writeString(file, "");
    assertThat(lines(file)).isEmpty();
  }

  @Test
  void open_gzipWithoutItsSuffix_isDecompressed() throws IOException {
    Path file = folder.resolve("a.csv");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write("x\ny\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    assertThat(lines(file)).containsExactly("1:x", "2:y");
  }

  @Test
  void next_truncatedGzip_failsNamingFileAndLine() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      java.util.Random random = new java.util.Random(1);
      for (int i = 0; i < 100_000; i++) {
        out.write((random.nextLong() + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
      }
    }
    Path file = folder.resolve("cut.gz");
    Files.write(file, Arrays.copyOf(bytes.toByteArray(), bytes.size() / 2));
    assertThatThrownBy(() -> lines(file))
        .isInstanceOf(IOException.class)
        .hasMessageMatching(
            ".*cut.gz is cut off after line \\d{5}: its gzip data stop before their end; copy the"
                + " file again");
  }

  @Test
  void next_lineAboveTheLimit_isCutOff() throws IOException {
    Path file = folder.resolve("long.txt");
    byte[] block = new byte[1 << 20];
    Arrays.fill(block, (byte) 'a');
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < 20; i++) {
        out.write(block);
      }
      out.write("\nend\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    try (LineRecordReader reader = LineRecordReader.open(file)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.record()).hasSize(LineRecordReader.LINE_BYTES_MAX + 1);
      assertThat(reader.next()).isTrue();
      assertThat(text(reader)).isEqualTo("end");
    }
  }

  private Path idx(String name, int magic, int count, int... rest) throws IOException {
    Path file = folder.resolve(name);
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
      out.writeInt(magic);
      out.writeInt(count);
      if (magic == 2051) {
        out.writeInt(1);
        out.writeInt(2);
      }
      for (int value : rest) {
        out.writeByte(value);
      }
    }
    return file;
  }

  @Test
  void next_idxPair_givesSamples() throws Exception {
    Path images = idx("train-images-idx3-ubyte", 2051, 2, 0, 255, 51, 102);
    idx("train-labels-idx1-ubyte", 2049, 2, 7, 3);
    try (RecordReader reader = InputFiles.read(images)) {
      assertThat(reader.next()).isTrue();
      Sample first = new SampleCodec().decode(reader.record());
      assertThat(first.dense()).containsExactly(0, 1);
      assertThat(first.label()).isEqualTo(7);
      assertThat(reader.next()).isTrue();
      assertThat(new SampleCodec().decode(reader.record()).dense()).containsExactly(0.2, 0.4);
      assertThat(reader.next()).isFalse();
    }
  }

  @Test
  void read_idxFilesThatDoNotMatch_areRefused() throws IOException {
    Path images = idx("images-idx3", 2051, 2, 0, 1, 2);
    assertThatThrownBy(() -> InputFiles.read(images)).hasMessageContaining("no labels file");
    idx("labels-idx1", 2049, 3, 1, 2, 3);
    assertThatThrownBy(() -> InputFiles.read(images))
        .hasMessageContaining("2 images but")
        .hasMessageContaining("3 labels");
    idx("labels-idx1", 2051, 2, 1, 2);
    assertThatThrownBy(() -> InputFiles.read(images)).hasMessageContaining("magic 2051");
    idx("labels-idx1", 2049, 2, 1, 2);
    try (RecordReader reader = InputFiles.read(images)) {
      assertThat(reader.next()).isTrue();
      assertThatThrownBy(reader::next)
          .hasMessageEndingWith(
              "images-idx3 is cut off after image 1: its header says that there are 2; copy the file"
                  + " again");
    }
  }

  @Test
  void read_idxFilesThatAreCutOff_areNamed() throws IOException {
    Path images = idx("images-idx3", 2051, 1, 0, 1);
    Path labels = idx("labels-idx1", 2049, 1);
    try (RecordReader reader = InputFiles.read(images)) {
      assertThatThrownBy(reader::next)
          .hasMessageContaining("labels-idx1 is cut off before the end of its first image: its");
    }
    Files.write(labels, Arrays.copyOf(Files.readAllBytes(labels), 6));
    assertThatThrownBy(() -> InputFiles.read(images))
        .hasMessageContaining("labels-idx1 is cut off: it ends within its header");
    Files.write(images, Arrays.copyOf(Files.readAllBytes(images), 14));
    assertThatThrownBy(() -> InputFiles.read(images))
        .hasMessageContaining("images-idx3 is cut off: it ends within its header");
  }

  private static long decodable(Path file, SampleDecoder decoder, boolean header)
      throws IOException, MalformedSampleException {
    long count = 0;
    try (RecordReader reader = InputFiles.read(file)) {
      if (header) {
        assertThat(reader.next()).isTrue();
      }
      while (reader.next()) {
        decoder.decode(reader.record());
        count++;
      }
    }
    return count;
  }

  @Test
  void next_realFiles_decodeCompletely() throws Exception {
    assertThat(
            decodable(
                Schemas.data("ctr/criteo_kaggle_head_rows1-6000.tsv.gz"),
                new CriteoTsvSampleDecoder(Schemas.criteo(), EventEncoding.UTF_8),
                false))
        .isEqualTo(6000);
    List<String> columns =
        List.of("period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer", "class");
    SampleSchema elec =
        new SampleSchema(
            columns,
            columns.subList(0, 6).stream().map(SampleSchema.DenseFeature::of).toList(),
            List.of(),
            new SampleSchema.Label("class", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            null);
    assertThat(
            decodable(
                Schemas.data("drift/elec.csv.gz"),
                new CsvSampleDecoder(elec, TextForm.PLAIN),
                true))
        .isEqualTo(45_312);
  }

  /** Ids of a column have as many keys as it has texts, and a missing one is the same in all. */
  @Test
  void next_realCategories_haveAKeyEach() throws Exception {
    SampleDecoder decoder = new CriteoTsvSampleDecoder(Schemas.criteoIds(), EventEncoding.UTF_8);
    Map<String, Long> keys = new HashMap<>();
    try (RecordReader reader =
        InputFiles.read(Schemas.data("ctr/criteo_kaggle_head_rows1-6000.tsv.gz"))) {
      while (reader.next()) {
        IdLists ids = decoder.decode(reader.record()).ids();
        String[] fields = new String(reader.record(), StandardCharsets.UTF_8).split("\t", -1);
        for (int i = 0; i < ids.features(); i++) {
          Long before = keys.put(fields[14 + i], ids.key(i));
          assertThat(before == null || before == ids.key(i)).isTrue();
        }
      }
    }
    assertThat(keys).hasSizeGreaterThan(10_000).containsEntry("", IdLists.MISSING);
    assertThat(new HashSet<>(keys.values())).hasSameSizeAs(keys.keySet());
  }

  @Test
  void ended_theLastLineHasNoEnd_isSaid() throws IOException {
    byte[] text = "whole\r\n\nagain\nhalf".getBytes(StandardCharsets.UTF_8);
    try (LineRecordReader lines =
        LineRecordReader.of(new ByteArrayInputStream(text), "standard input")) {
      for (String whole : List.of("whole", "again")) {
        assertThat(lines.next()).isTrue();
        assertThat(text(lines)).isEqualTo(whole);
        assertThat(lines.ended()).isTrue();
      }
      assertThat(lines.next()).isTrue();
      assertThat(text(lines)).isEqualTo("half");
      assertThat(lines.ended()).isFalse();
      assertThat(lines.position()).isEqualTo(4);
      assertThat(lines.next()).isFalse();
    }
  }
}
