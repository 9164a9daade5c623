package io.idlalayer.benchmarks.campaign.input;

import io.idlalayer.benchmarks.campaign.input.Draft.Spoil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes an input file: its encoding, byte order mark, line ends and archive, as drawn. */
final class FileBytes {
  private final InputSettings settings;
  private final SplittableRandom random;
  private final boolean strayBytes;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private Charset charset;
  private byte[] mark = {};

  private FileBytes(InputSettings settings, SplittableRandom random, boolean strayBytes) {
    this.settings = settings;
    this.random = random;
    this.strayBytes = strayBytes;
    charset = charset();
  }

  /** A file. */
  record Written(String suffix, byte[] bytes) {}

  static Written of(
      InputSettings settings, List<Draft> events, EventText text, SplittableRandom random)
      throws IOException {
    boolean stray = events.stream().anyMatch(event -> event.spoil() == Spoil.LATIN_1);
    FileBytes file = new FileBytes(settings, random, stray);
    file.write(events, text);
    return file.packed();
  }

  private Charset charset() {
    return switch (settings.encoding()) {
      case "utf-16le" -> StandardCharsets.UTF_16LE;
      case "utf-16be" -> StandardCharsets.UTF_16BE;
      case "utf-8" -> utf();
      default -> Charset.forName(settings.encoding());
    };
  }

  /** Draws what a file in UTF-8 is: one with a mark may be UTF-16. */
  private Charset utf() {
    int form = strayBytes ? random.nextInt(4) : random.nextInt(6);
    if (form == 4) {
      mark = new byte[] {(byte) 0xff, (byte) 0xfe};
      return StandardCharsets.UTF_16LE;
    }
    if (form == 5) {
      mark = new byte[] {(byte) 0xfe, (byte) 0xff};
      return StandardCharsets.UTF_16BE;
    }
    if (form == 0) {
      mark = new byte[] {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};
    }
    return StandardCharsets.UTF_8;
  }

  private void write(List<Draft> events, EventText text) throws IOException {
    List<String> written = events.stream().map(text::event).toList();
    boolean anyLineEnd = written.stream().anyMatch(event -> event.indexOf('\n') >= 0);
    String end = List.of("\n", "\r\n", "\r").get(random.nextInt(anyLineEnd ? 2 : 3));
    boolean sep = !settings.json() && random.nextInt(8) == 0;
    out.write(mark);
    StringBuilder head = new StringBuilder();
    if (sep) {
      head.append("sep=").append(settings.delimiter()).append(end);
    }
    if (settings.header()) {
      head.append(text.header()).append(end);
    }
    out.write(head.toString().getBytes(charset));
    for (int i = 0; i < written.size(); i++) {
      boolean last = i + 1 == written.size();
      String blank = random.nextInt(40) == 0 ? end : "";
      String ended = last && random.nextInt(3) == 0 ? "" : end + blank;
      boolean stray = events.get(i).spoil() == Spoil.LATIN_1;
      out.write(written.get(i).getBytes(stray ? StandardCharsets.ISO_8859_1 : charset));
      out.write(ended.getBytes(charset));
    }
  }

  private Written packed() throws IOException {
    byte[] plain = out.toByteArray();
    String suffix = settings.json() ? ".jsonl" : ".csv";
    int form = random.nextInt(8);
    if (form == 0) {
      return new Written(suffix + ".gz", gzip(plain));
    }
    if (form == 1) {
      return new Written(".zip", zip(plain, "events" + suffix));
    }
    return new Written(suffix, plain);
  }

  static byte[] gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream zipped = new GZIPOutputStream(packed)) {
      zipped.write(plain);
    }
    return packed.toByteArray();
  }

  static byte[] zip(byte[] plain, String... names) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (ZipOutputStream zipped = new ZipOutputStream(packed)) {
      for (String name : names) {
        zipped.putNextEntry(new ZipEntry(name));
        zipped.write(plain);
        zipped.closeEntry();
      }
    }
    return packed.toByteArray();
  }
}
