package io.idlalayer.modelcontroller.training;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Zips taken apart and put together again, with sums that fit. */
final class ModelZips {
  /** One time for all, so that equal entries give equal bytes whenever they are written. */
  private static final LocalDateTime WRITTEN_AT = LocalDateTime.of(2000, 1, 1, 0, 0);

  private ModelZips() {}

  static Map<String, byte[]> entries(byte[] zip) throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zip))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        entries.put(entry.getName(), in.readAllBytes());
      }
    }
    return entries;
  }

  static byte[] zip(Map<String, byte[]> entries) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        ZipEntry written = new ZipEntry(entry.getKey());
        written.setTimeLocal(WRITTEN_AT);
        zip.putNextEntry(written);
        zip.write(entry.getValue());
      }
    }
    return bytes.toByteArray();
  }
}
