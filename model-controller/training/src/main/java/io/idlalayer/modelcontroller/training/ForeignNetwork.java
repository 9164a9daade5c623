package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.sample.file.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Recognises files of networks that other programs write and that cannot be read, so that a message
 * says what a file is. It looks at signatures and names only, and opens nothing of the content.
 */
final class ForeignNetwork {
  private static final String TORCH = "with torch.onnx.export, from the program that has its class";
  private static final String KERAS = "with model.export(..., format=\"onnx\") or tf2onnx";

  private static final byte[] ZIP = {'P', 'K', 3, 4};
  private static final byte[] HDF5 = {(byte) 0x89, 'H', 'D', 'F'};
  private static final byte[] GGUF = {'G', 'G', 'U', 'F'};
  private static final byte[] NUMPY = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final byte[] TFLITE = {'T', 'F', 'L', '3'};
  private static final String SAVED_MODEL = "saved_model.pb";

  /** Version 1 of the schema, and the first graph. */
  private static final byte[] SAVED_MODEL_BEGIN = {8, 1, 0x12};

  private static final int PICKLE = 0x80;
  private static final int PICKLE_PROTOCOL_MIN = 2;
  private static final int PICKLE_PROTOCOL_MAX = 5;

  private ForeignNetwork() {}

  /**
   * Refuses what is not a regular file. Reading a pipe would wait for ever, and the file is read
   * again later.
   *
   * @throws IOException with the path and what it is
   */
  static void requireFile(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new IOException(
          Files.exists(file.resolve(SAVED_MODEL))
              ? file + ": " + unread("a SavedModel folder of TensorFlow", "with tf2onnx")
              : file + " is a folder; name a file in it, such as model.zip of a version");
    }
    if (RegularFile.isOther(file)) {
      throw new IOException(
          file + " is a pipe, a socket or a device; the network must be in a regular file");
    }
  }

  /** Returns what a file is and what to do; empty if it is of no program that is known here. */
  static Optional<String> described(Path file, byte[] content) {
    if (begins(content, ZIP, 0)) {
      return zip(names(file));
    } else if (begins(content, HDF5, 0)) {
      return Optional.of(unread("HDF5, as Keras writes it", KERAS));
    } else if (isPickle(content)) {
      return Optional.of(
          unread("a pickle of Python", TORCH + ", or with skl2onnx if it is of scikit-learn"));
    } else if (isSafetensors(content)) {
      return Optional.of(unread("a safetensors file, which has arrays and no network", TORCH));
    } else if (begins(content, GGUF, 0)) {
      return Optional.of(unread("a GGUF file", TORCH));
    } else if (begins(content, NUMPY, 0)) {
      return Optional.of(unread("an array of NumPy", TORCH));
    } else if (begins(content, TFLITE, Integer.BYTES)) {
      return Optional.of(unread("a file of TensorFlow Lite", "with tf2onnx"));
    } else if (file.endsWith(SAVED_MODEL) && begins(content, SAVED_MODEL_BEGIN, 0)) {
      return Optional.of(unread("a SavedModel of TensorFlow", "with tf2onnx"));
    }
    return Optional.empty();
  }

  private static String unread(String what, String how) {
    return "it is %s; write the network as ONNX, %s".formatted(what, how);
  }

  private static Optional<String> zip(List<String> names) {
    if (names.stream().anyMatch(each -> each.equals("data.pkl") || each.endsWith("/data.pkl"))) {
      return Optional.of(unread("a file of PyTorch (torch.save or TorchScript)", TORCH));
    } else if (names.contains("model.weights.h5")) {
      return Optional.of(unread("a .keras file of Keras", KERAS));
    } else if (!names.isEmpty() && names.stream().allMatch(each -> each.endsWith(".npy"))) {
      return Optional.of(unread("a file with arrays of NumPy", TORCH));
    }
    return Optional.empty();
  }

  /** Returns the names of the files in a zip; none if it is damaged. */
  private static List<String> names(Path file) {
    try (ZipFile zip = new ZipFile(file.toFile())) {
      return zip.stream().map(ZipEntry::getName).toList();
    } catch (IOException | IllegalArgumentException damaged) {
      return List.of();
    }
  }

  private static boolean isPickle(byte[] content) {
    return content.length > 2
        && (content[0] & 0xFF) == PICKLE
        && content[1] >= PICKLE_PROTOCOL_MIN
        && content[1] <= PICKLE_PROTOCOL_MAX;
  }

  /** A safetensors file begins with the length of a JSON object, and this object. */
  private static boolean isSafetensors(byte[] content) {
    if (content.length <= Long.BYTES || content[Long.BYTES] != '{') {
      return false;
    }
    long header = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).getLong();
    return header > 0 && header <= content.length - Long.BYTES;
  }

  private static boolean begins(byte[] content, byte[] signature, int at) {
    if (content.length < at + signature.length) {
      return false;
    }
    for (int i = 0; i < signature.length; i++) {
      if (content[at + i] != signature[i]) {
        return false;
      }
    }
    return true;
  }
}
