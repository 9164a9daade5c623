package io.idlalayer.middleware.models.storage.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** The files of a cache, byte by byte: programs in other languages read and write them too. */
final class CopyFormatTest extends CacheFixture {
  private static final String HELLO =
      "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824-5.copy";

  @Test
  void copy_ofAShortFile_hasTheBytesOfTheFormat() throws IOException {
    CountedFile hello = new CountedFile("hello".getBytes(StandardCharsets.US_ASCII));
    assertReads(cache(), hello);
    assertThat(names()).containsExactly(HELLO);
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(folder().resolve(HELLO))))
        .isEqualTo("68656c6c6f" + "3610a686" + "69646c43" + "00000001" + "0000000000000005");
  }

  @Test
  void copy_ofNothing_isAFooter() throws IOException {
    CountedFile nothing = new CountedFile(new byte[0]);
    assertReads(cache(), nothing);
    assertThat(HexFormat.of().formatHex(Files.readAllBytes(copy(nothing))))
        .isEqualTo("69646c43" + "00000001" + "0000000000000000");
    assertReads(cache(), nothing);
    assertThat(nothing.opens).hasValue(1);
  }

  @Test
  void copy_ofSeveralBlocks_hasAChecksumForEach() throws IOException {
    CountedFile file = CountedFile.of(7, 2 * BLOCK + 5);
    assertReads(cache(), file);
    ByteBuffer expected = ByteBuffer.allocate(file.content.length + 3 * 4 + 16);
    expected.put(file.content);
    for (int at = 0; at < file.content.length; at += BLOCK) {
      CRC32 crc = new CRC32();
      crc.update(file.content, at, Math.min(BLOCK, file.content.length - at));
      expected.putInt((int) crc.getValue());
    }
    expected.put("idlC".getBytes(StandardCharsets.US_ASCII)).putInt(1);
    expected.putLong(file.content.length);
    assertThat(Files.readAllBytes(copy(file))).isEqualTo(expected.array());
    assertThat(CopyFormat.fileBytes(file.content.length)).isEqualTo(expected.capacity());
    assertReads(cache(), file);
    assertThat(file.opens).hasValue(1);
  }

  @Test
  void permissions_areThoseOfTheUserAlone() throws IOException {
    CountedFile file = CountedFile.of(1, 10);
    assertReads(cache(), file);
    assertThat(permissions(folder())).isEqualTo("rwx------");
    assertThat(permissions(copy(file))).isEqualTo("rw-------");
    assertThat(folder().getFileName().toString())
        .isEqualTo("idla-versions-" + Files.getAttribute(copy(file), "unix:uid"));
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void name_ofAFileWithoutAProperDigest_isNone() {
    String digest = "0".repeat(64);
    assertThat(CopyName.of(new ModelFile("f", 3, digest))).contains(new CopyName(digest, 3));
    assertThat(CopyName.of(new ModelFile("f", 3, digest.replace('0', 'A')))).isEmpty();
    assertThat(CopyName.of(new ModelFile("f", 3, "../" + digest.substring(3)))).isEmpty();
    assertThat(CopyName.of(new ModelFile("f", 3, ""))).isEmpty();
    assertThat(CopyName.of(new ModelFile("f", -1, digest))).isEmpty();
    assertThat(CopyName.of(new ModelFile("f", (1L << 40) + 1, digest))).isEmpty();
  }

  @Test
  void parsed_otherNames_areNotOfTheCache() {
    CopyName name = new CopyName("1".repeat(64), 17);
    assertThat(CopyName.parsed(name.copy())).contains(new CopyName.Parsed(name, false));
    assertThat(CopyName.parsed(name.part())).contains(new CopyName.Parsed(name, true));
    for (String other :
        new String[] {
          "notes.copy",
          name.copy() + "~",
          name.copy().replace("-17", "-017"),
          name.copy().replace("-17", "-"),
          name.copy().replace('1', 'G'),
          name.sha256()
        }) {
      assertThat(CopyName.parsed(other)).as(other).isEmpty();
    }
  }
}
