package io.idlalayer.middleware.sample.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.format.InputFiles;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives and encodings of files: read, or refused by their name. */
final class PackedFileTest {
  @TempDir Path folder;

  private Path file(byte[] bytes) throws IOException {
    return Files.write(folder.resolve("in.data"), bytes);
  }

  private static byte[] zip(boolean stored, String... entries) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(bytes)) {
      for (String name : entries) {
        ZipEntry entry = new ZipEntry(name);
        byte[] content = name.endsWith("/") ? new byte[0] : "a,1\nb,2\n".getBytes(UTF_8);
        if (stored) {
          CRC32 checksum = new CRC32();
          checksum.update(content);
          entry.setMethod(ZipEntry.STORED);
          entry.setSize(content.length);
          entry.setCrc(checksum.getValue());
        }
        out.putNextEntry(entry);
        out.write(content);
      }
    }
    return bytes.toByteArray();
  }

  private static final Charset UTF_8 = StandardCharsets.UTF_8;

  private List<String> lines(byte[] bytes, String encoding) throws IOException {
    List<String> lines = new ArrayList<>();
    EventEncoding of = EventEncoding.of(encoding);
    try (LineRecordReader reader = LineRecordReader.open(file(bytes), of)) {
      while (reader.next()) {
        lines.add(new String(reader.record(), of.ofEvents()));
      }
    }
    return lines;
  }

  @Test
  void open_zipOfOneFile_isUnpacked() throws IOException {
    assertThat(lines(zip(false, "in.csv"), "utf-8")).containsExactly("a,1", "b,2");
    assertThat(lines(zip(true, "in.csv"), "utf-8")).containsExactly("a,1", "b,2");
    assertThat(lines(zip(false, "d/", "d/in.csv", "__MACOSX/d/._in.csv", "d/.DS_Store"), "utf-8"))
        .containsExactly("a,1", "b,2");
  }

  @Test
  void open_zipOfSeveralFilesOrNone_isRefusedWithTheirNames() throws IOException {
    assertThatThrownBy(() -> lines(zip(false, "a.csv", "b\n.csv", "c", "d"), "utf-8"))
        .hasMessageContaining(
            "in.data is a zip archive of 4 files ('a.csv', 'b\\n.csv', 'c', ...)");
    assertThatThrownBy(() -> lines(zip(false, "d/"), "utf-8"))
        .hasMessageContaining("is a zip archive of 0 files; one is read");
    assertThatThrownBy(() -> lines(zip(false, "[Content_Types].xml", "xl/workbook.xml"), "utf-8"))
        .hasMessageContaining("is an office document, which is not read: save its table as CSV");
  }

  @Test
  void open_damagedZip_isRefused() throws IOException {
    byte[] whole = zip(true, "in.csv");
    assertThatThrownBy(() -> lines(Arrays.copyOf(whole, whole.length - 10), "utf-8"))
        .hasMessageEndingWith(
            "in.data is cut off: it is a zip archive without the directory at its end; nothing of it"
                + " is read; copy the file again");
    byte[] directory = whole.clone();
    directory[new String(whole, StandardCharsets.ISO_8859_1).indexOf("PK\1\2")] = 'p';
    assertThatThrownBy(() -> lines(directory, "utf-8"))
        .hasMessageEndingWith(
            "in.data is damaged: the directory of its zip archive cannot be read; nothing of it is"
                + " read; copy the file again");
    byte[] secret = whole.clone();
    secret[6] |= 1;
    secret[new String(whole, StandardCharsets.ISO_8859_1).indexOf("PK\1\2") + 8] |= 1;
    assertThatThrownBy(() -> lines(secret, "utf-8"))
        .hasMessageEndingWith(
            "in.data is an encrypted zip archive, which is not read: unpack it and name the file");
    byte[] foreign = whole.clone();
    foreign[8] = 12;
    foreign[new String(whole, StandardCharsets.ISO_8859_1).indexOf("PK\1\2") + 10] = 12;
    assertThatThrownBy(() -> lines(foreign, "utf-8"))
        .as("bzip2")
        .hasMessageEndingWith(
            "in.data is a zip archive that is packed in a way that is not read: unpack it and name"
                + " the file");
    byte[] packed = zip(false, "in.csv");
    packed[30 + "in.csv".length()] = 7;
    assertThatThrownBy(() -> lines(packed, "utf-8"))
        .hasMessageEndingWith(
            "in.data is damaged before the end of its first line: 'in.csv' in its zip archive cannot"
                + " be unpacked any further; copy the file again");
    byte[] flipped = whole.clone();
    flipped[30 + "in.csv".length()] ^= 1;
    assertThatThrownBy(() -> lines(flipped, "utf-8"))
        .hasMessageContaining("is damaged after line 2: the checksum of 'in.csv' differs, so that");
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    }
    return bytes.toByteArray();
  }

  /** However short what is left is, the reason is ours and names the file. */
  @Test
  void open_gzipThatIsCutAnywhere_isRefusedInOurWords() throws IOException {
    byte[] whole = gzip("a,1\nb,2\n".getBytes(UTF_8));
    for (int length = 2; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> lines(cut, "utf-8"))
          .as("%d of %d bytes", length, whole.length)
          .isInstanceOf(UnreadableFileException.class)
          .hasMessageContaining("in.data is cut off")
          .hasMessageEndingWith("; copy the file again");
    }
  }

  @Test
  void open_damagedGzip_isRefusedInOurWords() throws IOException {
    byte[] whole = gzip("a,1\nb,2\n".getBytes(UTF_8));
    byte[] method = whole.clone();
    method[2] = 9;
    assertThatThrownBy(() -> lines(method, "utf-8"))
        .hasMessageEndingWith(
            "in.data is damaged: it begins like gzip, and the rest of the header is not that of"
                + " gzip; copy the file again");
    byte[] data = whole.clone();
    data[10] = 7;
    assertThatThrownBy(() -> lines(data, "utf-8"))
        .hasMessageEndingWith(
            "in.data is damaged before the end of its first line: its gzip data cannot be unpacked"
                + " any further; copy the file again");
    byte[] checksum = whole.clone();
    checksum[whole.length - 8] ^= 1;
    assertThatThrownBy(() -> lines(checksum, "utf-8"))
        .hasMessageEndingWith(
            "in.data is damaged after line 2: the checksum of its gzip data differs, so that any of"
                + " its content may be wrong; copy the file again");
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  @Test
  void open_gzipOfSeveralParts_isReadToItsLast() throws IOException {
    byte[] one = gzip("a,1\n".getBytes(UTF_8));
    byte[] two = gzip("b,2\n".getBytes(UTF_8));
    byte[] long1 = gzip("x".repeat(200_000).getBytes(UTF_8));
    assertThat(lines(joined(one, two, gzip(new byte[0]), one), "utf-8"))
        .containsExactly("a,1", "b,2", "a,1");
    assertThat(lines(joined(one, two, new byte[70_000]), "utf-8")).containsExactly("a,1", "b,2");
    assertThat(lines(joined(long1, gzip("\n".getBytes(UTF_8)), long1), "utf-8")).hasSize(2);
  }

  /** The first part is read whole; no byte of what follows it is passed over without a word. */
  @Test
  void open_gzipOfSeveralPartsThatIsCutOrDamaged_saysSo() throws IOException {
    byte[] first = gzip("a,1\n".getBytes(UTF_8));
    byte[] both = joined(first, gzip("b,2\n".getBytes(UTF_8)));
    for (int length = first.length + 1; length < both.length; length++) {
      byte[] cut = Arrays.copyOf(both, length);
      assertThatThrownBy(() -> lines(cut, "utf-8"))
          .as("%d of %d bytes", length, both.length)
          .isInstanceOf(UnreadableFileException.class)
          .hasMessageContaining("in.data is cut off after line ")
          .hasMessageEndingWith("; copy the file again");
    }
    for (String rest :
        List.of("b,2\n", "\0\0\0x", "\0".repeat(200_000) + "b,2\n", "b,2\n".repeat(50_000))) {
      assertThatThrownBy(() -> lines(joined(first, rest.getBytes(UTF_8)), "utf-8"))
          .hasMessageEndingWith(
              "in.data is damaged after line 1: the bytes after its gzip data are not gzip; copy"
                  + " the file again");
    }
  }

  @Test
  void wideText_inAGzipThatIsCut_isReadUpToTheDamage() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes, 512, true)) {
      out.write("\ufeffa,1\nb,2\n".getBytes(StandardCharsets.UTF_16LE));
      out.flush();
      out.write("c,3\n".getBytes(StandardCharsets.UTF_16LE));
    }
    byte[] cut = Arrays.copyOf(bytes.toByteArray(), bytes.size() - 14);
    try (LineRecordReader reader = LineRecordReader.open(file(cut))) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.next()).isTrue();
      assertThatThrownBy(reader::next).hasMessageContaining("in.data is cut off after line 2");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "fd377a585a00, an xz archive",
    "28b52ffd00, a zstd archive",
    "425a68393141592653590102, a bzip2 archive",
    "377abcaf271c, a 7z archive",
    "504152311504, a Parquet file",
    "53514c69746520666f726d6174203300, a SQLite database",
    "d0cf11e0a1b11ae1, an old Excel workbook"
  })
  void open_foreignFile_isRefusedByItsName(String start, String name) throws IOException {
    byte[] bytes = java.util.HexFormat.of().parseHex(start);
    Path file = file(bytes);
    assertThatThrownBy(() -> InputFiles.kind(file))
        .hasMessageContaining("in.data is " + name + ", which is not read");
  }

  /** Columns may be named as other files begin. */
  @ParameterizedTest
  @ValueSource(
      strings = {"ORCID,papers", "PAR1,PAR2", "BZh,x", "ARROW1,x", "7z,x", "Rar!,x", "Obj,x"})
  void open_textThatBeginsLikeAnotherFile_isRead(String header) throws IOException {
    assertThat(lines((header + "\n1,2\n").getBytes(UTF_8), "utf-8")).containsExactly(header, "1,2");
  }

  @Test
  void open_archiveInAnArchive_isRefused() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(zip(false, "in.csv"));
    }
    assertThatThrownBy(() -> lines(bytes.toByteArray(), "utf-8"))
        .hasMessageContaining("is an archive in an archive");
    byte[] tar = new byte[512];
    System.arraycopy("ustar".getBytes(UTF_8), 0, tar, 257, 5);
    assertThatThrownBy(() -> lines(tar, "utf-8")).hasMessageContaining("is a tar archive");
  }

  @Test
  void text_ofEachEncoding_isRead() throws IOException {
    String text = "M\u00fcller,\ud83d\ude00\r\nM\u00f6ller,2";
    List<String> expected = List.of("M\u00fcller,\ud83d\ude00", "M\u00f6ller,2");
    assertThat(lines(text.getBytes(UTF_8), "utf-8")).isEqualTo(expected);
    assertThat(lines(("\ufeff" + text).getBytes(UTF_8), "UTF8")).isEqualTo(expected);
    for (String wide : List.of("UTF-16LE", "UTF-16BE")) {
      Charset charset = Charset.forName(wide);
      assertThat(lines(("\ufeff" + text).getBytes(charset), "utf-8")).isEqualTo(expected);
      assertThat(lines(("\ufeff" + text).getBytes(charset), "utf-16")).isEqualTo(expected);
      assertThat(lines(text.getBytes(charset), "utf-16")).isEqualTo(expected);
      assertThat(lines(text.getBytes(charset), wide)).isEqualTo(expected);
    }
    assertThat(lines("M\u00fcller".getBytes(StandardCharsets.ISO_8859_1), "latin1"))
        .containsExactly("M\u00fcller");
  }

  @Test
  void text_inAnotherEncoding_isRefusedWithItsName() {
    byte[] wide = "x,y,label\n1,2,0\n".getBytes(StandardCharsets.UTF_16LE);
    assertThatThrownBy(() -> lines(wide, "utf-8"))
        .hasMessageContaining(
            "seems to be in UTF-16 without a byte order mark, and input.encoding is utf-8: say"
                + " utf-16le");
    assertThatThrownBy(() -> lines("\ufeffx".getBytes(UTF_8), "iso-8859-1"))
        .hasMessageContaining("begins with the byte order mark of UTF-8, but input.encoding is");
    assertThatThrownBy(() -> lines("\ufeffx".getBytes(Charset.forName("UTF-32LE")), "utf-8"))
        .hasMessageContaining("is in UTF-32, which is not read");
  }

  @Test
  void text_inUtf32WithoutAMark_isRefusedByName() throws IOException {
    for (String name : List.of("UTF-32LE", "UTF-32BE")) {
      Path file =
          Files.write(folder.resolve("wide.csv"), "x,y\n1,2\n".getBytes(Charset.forName(name)));
      for (String encoding : List.of("utf-8", "utf-16", "utf-16le")) {
        assertThatThrownBy(() -> LineRecordReader.open(file, EventEncoding.of(encoding)))
            .isInstanceOf(UnreadableFileException.class)
            .hasMessage(file + " seems to be in UTF-32, which is not read: convert it to UTF-8");
      }
    }
  }

  @Test
  void wideText_withHalfACharacter_costsItsLineOnly() throws Exception {
    byte[] lone = "\ufeff".getBytes(StandardCharsets.UTF_16LE);
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    text.writeBytes(lone);
    text.writeBytes(new byte[] {'a', 0, 0, (byte) 0xd8, 'b', 0, '\n', 0, 'c', 0, '\n', 0, 'd'});
    List<String> refused = new ArrayList<>();
    try (LineRecordReader reader = LineRecordReader.open(file(text.toByteArray()))) {
      while (reader.next()) {
        try {
          refused.add(EventEncoding.UTF_8.text(reader.record()));
        } catch (io.idlalayer.middleware.sample.MalformedSampleException bad) {
          refused.add(bad.field());
        }
      }
    }
    assertThat(refused).containsExactly("byte 1", "c", "byte 0");
  }

  @Test
  void open_plainFile_canBeMarked() throws IOException {
    try (InputStream in = PackedFile.open(file("abc".getBytes(UTF_8)))) {
      assertThat(in.markSupported()).isTrue();
      assertThat(in.readAllBytes()).hasSize(3);
    }
  }

  @Test
  void open_smallGzipThatIsCut_isReadUpToTheDamage() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes, 512, true)) {
      out.write("a,1\nb,2\n".getBytes(UTF_8));
      out.flush();
    }
    byte[] cut = Arrays.copyOf(bytes.toByteArray(), bytes.size() - 10);
    List<String> lines = new ArrayList<>();
    try (LineRecordReader reader = LineRecordReader.open(file(cut))) {
      assertThatThrownBy(
              () -> {
                while (reader.next()) {
                  lines.add(new String(reader.record(), UTF_8));
                }
              })
          .hasMessageContaining("in.data is cut off after line 2");
    }
    assertThat(lines).containsExactly("a,1", "b,2");
  }

  @Test
  void open_gzipThatIsReplacedWhileItIsRead_checksTheOpenedFile() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(gzip("a\n".getBytes(UTF_8)));
    bytes.write("no gzip".getBytes(UTF_8));
    Path file = file(bytes.toByteArray());
    try (InputStream in = PackedFile.open(file)) {
      Files.delete(file);
      assertThatThrownBy(in::readAllBytes)
          .isInstanceOf(UnreadableFileException.class)
          .hasMessageContaining("the bytes after its gzip data are not gzip");
    }
    Path whole = file(gzip("a\n".getBytes(UTF_8)));
    try (InputStream in = PackedFile.open(whole)) {
      Files.delete(whole);
      assertThat(in.readAllBytes()).hasSize(2);
      assertThat(in.read()).isNegative();
    }
  }
}
