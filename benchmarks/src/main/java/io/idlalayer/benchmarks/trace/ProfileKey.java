package io.idlalayer.benchmarks.trace;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * The key of a recorded step. Two steps with equal keys have equal kernels and nearly equal times.
 *
 * @param network configuration of the network, as text
 * @param shapes shapes of the mini-batch's arrays
 * @param dataType data type of the parameters
 * @param engine name and version of the computing engine
 * @param threads number of computing threads
 * @param processor model of the processor
 */
public record ProfileKey(
    String network,
    List<List<Long>> shapes,
    String dataType,
    String engine,
    int threads,
    String processor) {
  public ProfileKey {
    shapes = shapes.stream().map(List::copyOf).toList();
    if (threads < 1) {
      throw new IllegalArgumentException(threads + " threads; at least 1 computes");
    }
  }

  /** SHA-256 of all parts, in hexadecimal digits. */
  public String hash() {
    StringBuilder text = new StringBuilder();
    for (Object part : List.of(network, shapes, dataType, engine, threads, processor)) {
      String each = part.toString();
      // With its length, so that no two keys give the same text.
      text.append(each.length()).append(':').append(each);
    }
    return DigestUtils.sha256Hex(text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
