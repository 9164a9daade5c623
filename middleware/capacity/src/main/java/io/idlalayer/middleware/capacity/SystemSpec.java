package io.idlalayer.middleware.capacity;

import java.util.List;
import java.util.stream.Stream;

/**
 * A node of equal devices that train one network, seen from one of them: the links that it uses,
 * where it moves tensors, and the rings of its collectives. All devices do the same at the same
 * time.
 *
 * @param devices number of devices, at least 1
 * @param deviceBytes memory of a device, above 0
 * @param lanes what the device shares among its transfers: links in one direction, or memories
 * @param out lanes that a byte uses on its way out of the device, for the left and the right half
 *     of the pages; empty if tensors never leave
 * @param in lanes that a byte uses on its way back
 * @param rings lanes that a collective uses, each for an equal part of the bytes
 * @param collective the rings of the collectives
 */
public record SystemSpec(
    String name,
    int devices,
    long deviceBytes,
    List<Lane> lanes,
    Ways out,
    Ways in,
    List<List<Integer>> rings,
    RingCollective collective,
    PagePlacement placement) {

  /** Memory of a device that is never too small. */
  public static final long UNLIMITED_BYTES = Long.MAX_VALUE;

  /**
   * A link in one direction, or a memory, that several transfers share.
   *
   * @param bytesPerSecond above 0
   */
  public record Lane(String name, double bytesPerSecond) {
    public Lane {
      if (!(bytesPerSecond > 0)) {
        throw new IllegalArgumentException(
            "%s carries %s bytes per second; it must be above 0".formatted(name, bytesPerSecond));
      }
    }
  }

  /**
   * The lanes between the device and its two neighbours, by their indexes.
   *
   * @param left lanes of a byte whose page is on the left; empty if tensors never leave
   * @param right lanes of a byte whose page is on the right
   */
  public record Ways(List<Integer> left, List<Integer> right) {
    /** Ways of a device whose tensors never leave. */
    public static final Ways NONE = new Ways(List.of(), List.of());

    public Ways {
      left = List.copyOf(left);
      right = List.copyOf(right);
    }
  }

  public SystemSpec {
    lanes = List.copyOf(lanes);
    rings = rings.stream().map(List::copyOf).toList();
    if (devices < 1 || deviceBytes < 1) {
      throw new IllegalArgumentException(
          "%s: %d devices of %d bytes; at least 1 of each is needed"
              .formatted(name, devices, deviceBytes));
    }
    if (devices > 1 && rings.isEmpty()) {
      throw new IllegalArgumentException(
          "%s: nothing connects its %d devices".formatted(name, devices));
    }
    if (out.left().isEmpty() != in.left().isEmpty()) {
      throw new IllegalArgumentException("%s: tensors can go one way only".formatted(name));
    }
    int known = lanes.size();
    Stream<List<Integer>> used =
        Stream.concat(rings.stream(), Stream.of(out.left(), out.right(), in.left(), in.right()));
    if (used.flatMap(List::stream).anyMatch(lane -> lane < 0 || lane >= known)) {
      throw new IllegalArgumentException(
          "%s: a way uses a lane that does not exist; there are %d".formatted(name, known));
    }
  }

  /** Returns whether tensors can leave the device. */
  public boolean overlays() {
    return !out.left().isEmpty();
  }
}
