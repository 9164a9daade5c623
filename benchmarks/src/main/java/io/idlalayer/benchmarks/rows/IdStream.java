package io.idlalayer.benchmarks.rows;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** An endless stream of ids from 0 on. One thread. */
@FunctionalInterface
interface IdStream {
  int next();

  /**
   * Returns ids by popularity, scattered over the table so that neighbors in rank are not neighbors
   * in the table.
   *
   * @param exponent exponent of Zipf's law; 0 for uniform
   * @param shiftEvery number of draws after which other ids become popular; 0 for never
   * @param shift number of ranks by which all ids move then
   */
  static IdStream zipf(int rows, double exponent, long seed, long shiftEvery, int shift) {
    ZipfRanks ranks = new ZipfRanks(rows, exponent, seed);
    long[] drawn = {0};
    return () -> {
      long moved = shiftEvery == 0 ? 0 : drawn[0]++ / shiftEvery * shift;
      return idOf(ranks.next() - 1 + moved, rows);
    };
  }

  /** The id that has a rank from 0 on, before any shift. */
  static int idOf(long rank, int rows) {
    // A prime above the numbers of rows that are used: multiplying by it is a bijection.
    return (int) (rank % rows * 2_147_483_647L % rows);
  }

  /**
   * Returns the ids of a recorded stream, repeatedly: each distinct value of a column is an id,
   * from a given column on.
   *
   * @param separator separator of the columns
   * @param from the first column with ids
   * @throws IOException if the file cannot be read
   */
  static int[] recorded(Path file, String separator, int from) throws IOException {
    Map<String, Integer> known = new HashMap<>();
    List<int[]> lines = new ArrayList<>();
    int count = 0;
    try (BufferedReader in = reader(file)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] columns = line.split(separator, -1);
        int[] ids = new int[Math.max(0, columns.length - from)];
        for (int i = 0; i < ids.length; i++) {
          ids[i] = known.computeIfAbsent(i + ":" + columns[from + i], each -> known.size());
        }
        count += ids.length;
        lines.add(ids);
      }
    }
    int[] all = new int[count];
    int at = 0;
    for (int[] ids : lines) {
      System.arraycopy(ids, 0, all, at, ids.length);
      at += ids.length;
    }
    return all;
  }

  private static BufferedReader reader(Path file) throws IOException {
    InputStream in = Files.newInputStream(file);
    InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
    return new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8));
  }
}
