package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.memory.object.MemObject;
import java.util.ArrayList;
import java.util.List;

/**
 * How a kernel that works element by element can be cut into pieces: its elements are in sections,
 * one after the other, and so are the bytes of each argument.
 */
public record Division(List<Section> sections) {
  /** So that vector instructions divide the elements of a piece as they do in the whole. */
  private static final long MULTIPLE = 64;

  /**
   * Elements that are alike.
   *
   * @param elements above 0
   * @param widths bytes of each argument that an element uses: 0 if it uses none; in the order in
   *     which the kernel first names them, what it reads before what it only writes
   */
  public record Section(long elements, List<Integer> widths) {
    public Section {
      widths = List.copyOf(widths);
      if (elements <= 0 || widths.stream().anyMatch(width -> width < 0)) {
        throw new IllegalArgumentException(
            "a section of %d elements with widths %s".formatted(elements, widths));
      }
    }

    private long bytesOfElement() {
      return widths.stream().mapToLong(Integer::longValue).sum();
    }
  }

  /**
   * Bytes of an argument.
   *
   * @param bytes 0 if there are none
   */
  public record Span(long offset, long bytes) {}

  /**
   * What a piece works on.
   *
   * @param section that all its elements are in
   * @param spans of each argument
   */
  public record Cut(int section, long elements, List<Span> spans) {
    /**
     * The piece, of arguments in their order.
     *
     * @param uses of each argument
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
          "the sections of a kernel have widths for the same arguments, not " + sections);
    }
  }

  /** How many arguments it divides. */
  public int arguments() {
    return sections.get(0).widths().size();
  }

  /** Bytes of an argument that it divides. */
  public long bytes(int argument) {
    return sections.stream().mapToLong(each -> each.elements() * each.widths().get(argument)).sum();
  }

  /** Bytes of all arguments. */
  public long bytes() {
    return sections.stream().mapToLong(each -> each.elements() * each.bytesOfElement()).sum();
  }

  /**
   * Cuts the elements.
   *
   * @param pieces about as many; each section begins a new one
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

  /** Of the elements that follow, from where each argument is. */
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
