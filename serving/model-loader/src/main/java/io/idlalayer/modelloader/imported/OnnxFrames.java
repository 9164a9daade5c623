package io.idlalayer.modelloader.imported;

import io.idlalayer.modelloader.onnx.file.OnnxFile;
import java.util.Arrays;
import java.util.Locale;

/** Reads the windows of ONNX's convolutions and poolings. */
final class OnnxFrames {
  private OnnxFrames() {}

  /**
   * Returns the window of a node.
   *
   * @param image channels, height and width of its input
   * @param around lines and columns of zeros that are around the image already
   * @throws UnimportableException if the window skips pixels, or is larger than the image
   */
  static ImportedStep.Frame of(
      OnnxFile.Node node, long[] image, long[] around, int rows, int columns)
      throws UnimportableException {
    long[] strides = node.integers("strides");
    long[] dilations = node.integers("dilations");
    if (dilations != null && Arrays.stream(dilations).anyMatch(each -> each != 1)) {
      throw new UnimportableException(node.label() + " has dilations, which are not known");
    }
    boolean line = image[1] == 1 && rows == 1 && strides != null && strides.length == 1;
    if (strides != null && strides.length != 2 && !line) {
      throw new UnimportableException(
          String.format(
              Locale.ROOT, "%s has %d strides for two dimensions", node.label(), strides.length));
    }
    boolean ceiling = node.integer("ceil_mode", 0) != 0;
    if (ceiling && !node.operator().equals("MaxPool")) {
      throw new UnimportableException(
          node.label() + " has ceil_mode, which is known of MaxPool only");
    }
    int down = strides == null || line ? 1 : (int) strides[0];
    int right = strides == null ? 1 : (int) strides[strides.length - 1];
    int height = (int) image[1];
    int width = (int) image[2];
    long[] pads = pads(node, height, width, rows, columns, down, right).clone();
    boolean padded = Arrays.stream(around).anyMatch(each -> each != 0);
    if (padded && node.text("auto_pad", "NOTSET").startsWith("SAME_")) {
      throw new UnimportableException(node.label() + " has auto_pad behind a Pad");
    }
    Arrays.setAll(pads, i -> pads[i] + around[i]);
    long tall = height + pads[0] + pads[2];
    long wide = width + pads[1] + pads[3];
    if (down < 1 || right < 1 || tall < rows || wide < columns) {
      throw new UnimportableException(
          String.format(
              Locale.ROOT,
              "%s has a window of %d x %d on an image of %d x %d",
              node.label(),
              rows,
              columns,
              height,
              width));
    }
    return new ImportedStep.Frame(
        (int) image[0],
        height,
        width,
        rows,
        columns,
        down,
        right,
        (int) pads[0],
        (int) pads[1],
        windows(ceiling, tall - rows, down, height + pads[0]),
        windows(ceiling, wide - columns, right, width + pads[1]));
  }

  /**
   * Returns the number of windows in one direction.
   *
   * @param ceiling whether a last window is allowed to go beyond the image
   * @param way pixels from the first window to the last possible window
   * @param end where the image ends
   */
  private static int windows(boolean ceiling, long way, int stride, long end) {
    long last = ceiling ? (way + stride - 1) / stride : way / stride;
    return (int) (ceiling && last * stride >= end ? last : last + 1);
  }

  /** Returns the padding above, at the left, below and at the right. */
  private static long[] pads(
      OnnxFile.Node node, int height, int width, int rows, int columns, int down, int right)
      throws UnimportableException {
    long[] given = node.integers("pads");
    String auto = node.text("auto_pad", "NOTSET");
    if (auto.equals("NOTSET") || auto.isEmpty()) {
      if (given != null && given.length == 2 && height == 1) {
        return new long[] {0, given[0], 0, given[1]};
      } else if (given != null && given.length != 4) {
        throw new UnimportableException(
            String.format(Locale.ROOT, "%s has %d pads", node.label(), given.length));
      }
      return given == null ? new long[4] : given;
    } else if (auto.equals("VALID")) {
      return new long[4];
    } else if (!auto.startsWith("SAME_") || down < 1 || right < 1) {
      throw new UnimportableException("%s has auto_pad %s".formatted(node.label(), auto));
    }
    long tall = Math.max(0, (long) ((height + down - 1) / down - 1) * down + rows - height);
    long wide = Math.max(0, (long) ((width + right - 1) / right - 1) * right + columns - width);
    boolean more = auto.equals("SAME_LOWER");
    long top = more ? (tall + 1) / 2 : tall / 2;
    long left = more ? (wide + 1) / 2 : wide / 2;
    return new long[] {top, left, tall - top, wide - left};
  }
}
