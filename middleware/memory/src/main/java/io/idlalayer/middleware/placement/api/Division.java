package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.ArrayList;
import java.util.List;

/**
 * A plan for cutting a kernel that works element by element into pieces. The kernel's elements lie
 * in sections, one after the other, and so do the bytes of each argument.
 */
public record Division(List<Section> sections) {
  /**
   * Number of elements of which the length of a piece is a multiple, so that vector instructions
   * group the elements as without pieces.
   */
  private static final long MULTIPLE = 64;

  /**
   * A run of elements that all use the same number of bytes of an argument, given for each
   * argument.
   *
   * @param elements above 0
   * @param widths bytes of each argument that an element uses, 0 if none; in the order in which the
   *     kernel names its arguments first, those it reads before those it only writes
   */
  public record Section(long elements, List<Integer> widths) {
    public Section {
      widths = List.copyOf(widths);
      if (elements <= 0 || widths.stream().anyMatch(width -> width < 0)) {
        throw new IllegalArgumentException(
            "a section of %d elements with widths %s; it needs at least 1 element, and no width may be negative"
                .formatted(elements, widths));
      }
    }

    private long bytesOfElement() {
      return widths.stream().mapToLong(Integer::longValue).sum();
    }
  }

  /**
   * A range of an argument's bytes.
   *
   * @param bytes 0 if there are none
   */
  public record Span(long offset, long bytes) {}

  /**
   * The bytes that a piece works on.
   *
   * @param section index of the section that its elements are in
   * @param spans the piece's bytes of each argument
   */
  public record Cut(int section, long elements, List<Span> spans) {
    /**
     * Returns the piece for the given arguments.
     *
     * @param uses how the kernel uses each argument
     */
    public Piece piece(List<MemObject> arguments, List<Piece.Use> uses) {
      List<Piece.Range> ranges = new ArrayList<>();
      for (int i = 0; i < spans.size(); i++) {
        Span span = spans.get(i);
        if (span.bytes() > 0) {
          ranges.add(new Piece.Range(arguments.get(i), span.offset(), span.bytes(), uses.get(i)));
        }
      }
      return new Piece(ranges);
    }
  }

  public Division {
    sections = List.copyOf(sections);
    if (sections.isEmpty()
        || sections.stream().mapToInt(each -> each.widths().size()).distinct().count() > 1) {
      throw new IllegalArgumentException(
          "all sections of a kernel must have widths for the same arguments: " + sections);
    }
  }

  /** Returns the number of arguments of the kernel. */
  public int arguments() {
    return sections.get(0).widths().size();
  }

  /** Returns the number of bytes of an argument. */
  public long bytes(int argument) {
    return sections.stream().mapToLong(each -> each.elements() * each.widths().get(argument)).sum();
  }

  /** Returns the number of bytes of all arguments together. */
  public long bytes() {
    return sections.stream().mapToLong(each -> each.elements() * each.bytesOfElement()).sum();
  }

  /**
   * Cuts the elements into pieces of about equal size.
   *
   * @param pieces about how many; each section begins a new one
   */
  public List<Cut> cut(long pieces) {
    long elements = sections.stream().mapToLong(Section::elements).sum();
    long most = Math.max(1, (elements + pieces - 1) / pieces / MULTIPLE) * MULTIPLE;
    long[] at = new long[arguments()];
    List<Cut> cuts = new ArrayList<>();
    for (int i = 0; i < sections.size(); i++) {
      Section section = sections.get(i);
      for (long first = 0; first < section.elements(); first += most) {
        long length = Math.min(most, section.elements() - first);
        cuts.add(new Cut(i, length, spans(section, length, at)));
      }
    }
    return cuts;
  }

  /**
   * Returns the byte ranges of the next elements and advances each argument's offset in {@code at}
   * past them.
   */
  private static List<Span> spans(Section section, long elements, long[] at) {
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i < at.length; i++) {
      long bytes = elements * section.widths().get(i);
      spans.add(new Span(at[i], bytes));
      at[i] += bytes;
    }
    return spans;
  }
}
