package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.file.PackedFile;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Reads a pair of MNIST files: images (idx3, unsigned bytes) and their labels (idx1). Each image
 * becomes an encoded sample whose dense values are pixel/255 and whose label is the digit.
 */
public final class IdxPairReader implements RecordReader {
  private static final int IMAGES_MAGIC = 2051;
  private static final int LABELS_MAGIC = 2049;
  private static final int PIXELS_MAX = 1 << 24;

  private final Path images;
  private final Path labels;
  private final DataInputStream imageData;
  private final DataInputStream labelData;
  private final int count;
  private final byte[] pixels;
  private final byte[] label = new byte[1];
  private final SampleCodec codec = new SampleCodec();
  private int position;
  private byte[] current = {};

  private IdxPairReader(
      Path images, Path labels, DataInputStream imageData, DataInputStream labelData)
      throws IOException {
    this.images = images;
    this.labels = labels;
    this.imageData = imageData;
    this.labelData = labelData;
    count = header(images, imageData, IMAGES_MAGIC);
    long size = (long) headerNumber(images, imageData) * headerNumber(images, imageData);
    if (size < 1 || size > PIXELS_MAX) {
      throw new IOException(images + " claims images of " + size + " pixels");
    }
    pixels = new byte[(int) size];
    int labelCount = header(labels, labelData, LABELS_MAGIC);
    if (labelCount != count) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s holds %d images but %s %d labels",
              images,
              count,
              labels,
              labelCount));
    }
  }

  private static int header(Path file, DataInputStream in, int magic) throws IOException {
    int found = headerNumber(file, in);
    if (found != magic) {
      throw new IOException(
          String.format(
              Locale.ROOT, "%s starts with magic %d where %d is expected", file, found, magic));
    }
    return headerNumber(file, in);
  }

  private static int headerNumber(Path file, DataInputStream in) throws IOException {
    try {
      return in.readInt();
    } catch (EOFException tooShort) {
      throw UnreadableFileException.cutOff(file, "it ends within its header", tooShort);
    }
  }

  /** Opens a file of images and its file of labels, and checks their headers. */
  public static IdxPairReader open(Path images, Path labels) throws IOException {
    DataInputStream imageData = new DataInputStream(PackedFile.open(images));
    try {
      DataInputStream labelData = new DataInputStream(PackedFile.open(labels));
      try {
        return new IdxPairReader(images, labels, imageData, labelData);
      } catch (IOException refused) {
        labelData.close();
        throw refused;
      }
    } catch (IOException refused) {
      imageData.close();
      throw refused;
    }
  }

  /**
   * Returns the path of the labels that belong to a file of images, by the names of the MNIST
   * distribution.
   *
   * @throws IOException if there is no file of labels; the message names the path that was tried
   */
  public static Path labelsFor(Path images) throws IOException {
    Path fileName = images.getFileName();
    String name = fileName == null ? "" : fileName.toString();
    String labelName = name.replace("images", "labels").replace("idx3", "idx1");
    Path labels = images.resolveSibling(labelName);
    if (labelName.equals(name) || !Files.isRegularFile(labels)) {
      throw new IOException("no labels file beside %s: looked for %s".formatted(images, labels));
    }
    return labels;
  }

  @Override
  public boolean next() throws IOException {
    if (position == count) {
      return false;
    }
    read(images, imageData, pixels);
    read(labels, labelData, label);
    double[] dense = new double[pixels.length];
    for (int i = 0; i < dense.length; i++) {
      dense[i] = (pixels[i] & 0xFF) / 255.0;
    }
    current = codec.encode(Sample.of(dense, label[0] & 0xFF));
    position++;
    return true;
  }

  private void read(Path file, DataInputStream in, byte[] into) throws IOException {
    try {
      in.readFully(into);
    } catch (EOFException cut) {
      String reason = String.format(Locale.ROOT, "its header says that there are %d", count);
      throw UnreadableFileException.cutOff(file, reason, cut).after("image", position);
    } catch (UnreadableFileException damaged) {
      throw damaged.after("image", position);
    }
  }

  @Override
  public byte[] record() {
    return current;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void close() throws IOException {
    imageData.close();
    labelData.close();
  }
}
