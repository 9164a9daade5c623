package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.StartFiles.mlp;
import static io.idlalayer.modelcontroller.training.StartFiles.pytorch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The message about a file of another program says what the file is and what to do. */
final class ForeignNetworkTest {
  private static final ModelSpec SPEC = mlp(List.of(8), "a", "b", "c");

  private static final String COMMENT = "a comment";

  @TempDir Path folder;

  private static byte[] zip(String... names) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.setComment(COMMENT);
      for (String name : names) {
        byte[] content = name.getBytes(StandardCharsets.UTF_8);
        ZipEntry entry = new ZipEntry(name);
        CRC32 crc = new CRC32();
        crc.update(content);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(content.length);
        entry.setCrc(crc.getValue());
        zip.putNextEntry(entry);
        zip.write(content);
      }
    }
    return out.toByteArray();
  }

  private static byte[] hex(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private void refused(String name, byte[] content, String what, String how) throws IOException {
    Path file = Files.write(folder.resolve(name), content);
    assertThatThrownBy(() -> StartingNetwork.read(file, SPEC))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file + ": it is " + what)
        .hasMessageContaining("write the network as ONNX, with " + how);
  }

  @Test
  void read_filesOfOtherPrograms_saysWhatTheyAre() throws IOException {
    refused("a.pt", zip("a/data.pkl", "a/data/0"), "a file of PyTorch", "torch.onnx.export");
    refused("b.pth", zip("b/version", "b/data.pkl"), "a file of PyTorch", "torch.onnx.export");
    refused(
        "c.keras",
        zip("metadata.json", "config.json", "model.weights.h5"),
        "a .keras",
        "model.export");
    refused("d.npz", zip("w.npy", "b.npy"), "a file with arrays of NumPy", "torch.onnx.export");
    refused("e.h5", hex("894844460d0a1a0a00"), "HDF5", "model.export");
    refused("f.pkl", hex("80048c00"), "a pickle of Python", "torch.onnx.export");
    refused("g.pt", hex("80028a0a6cfc9c46f9"), "a pickle of Python", "torch.onnx.export");
    refused("h.npy", hex("934e554d50590100"), "an array of NumPy", "torch.onnx.export");
    refused("i.tflite", hex("1c00000054464c33"), "a file of TensorFlow Lite", "tf2onnx");
    refused("j.gguf", hex("4747554603000000"), "a GGUF file", "torch.onnx.export");
    refused(
        "k.safetensors", hex("02000000000000007b7d"), "a safetensors file", "torch.onnx.export");
    refused("saved_model.pb", hex("08011200"), "a SavedModel of TensorFlow", "tf2onnx");
  }

  @Test
  void read_aSavedModelFolder_saysWhatItIs() throws IOException {
    Files.write(folder.resolve("saved_model.pb"), hex("08011200"));
    assertThatThrownBy(() -> StartingNetwork.read(folder, SPEC))
        .hasMessageContaining(folder + ": it is a SavedModel folder of TensorFlow")
        .hasMessageContaining("tf2onnx");
  }

  @Test
  @Timeout(60)
  void read_aPipe_isRefusedWithoutReading() throws Exception {
    Path pipe = folder.resolve("a pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThatThrownBy(() -> StartingNetwork.read(pipe, SPEC))
        .hasMessage(
            pipe + " is a pipe, a socket or a device; the network must be in a regular file");
  }

  @Test
  void read_anOnnxFileOfAnyName_isRead() throws IOException {
    for (String name : List.of("saved_model.pb", "a.pt", "a b\u00e9.h5")) {
      Path file = Files.write(folder.resolve(name), pytorch(3));
      assertThat(StartingNetwork.read(file, SPEC).layers()).isNotEmpty();
    }
  }

  @Test
  void described_cutOrDamagedZips_endsWithoutFailure() throws IOException {
    byte[] whole = zip("a/data.pkl", "a/data/0");
    Path file = folder.resolve("a.pt");
    assertThat(described(file, whole)).isPresent();
    for (int length = 0; length < whole.length - COMMENT.length(); length++) {
      assertThat(described(file, Arrays.copyOf(whole, length))).isEmpty();
    }
    for (int at = 4; at < whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= (byte) 0xFF;
      assertThat(described(file, damaged)).isNotNull();
    }
  }

  private static Optional<String> described(Path file, byte[] content) throws IOException {
    return ForeignNetwork.described(Files.write(file, content), content);
  }
}
