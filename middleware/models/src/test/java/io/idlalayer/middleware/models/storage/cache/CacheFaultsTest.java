package io.idlalayer.middleware.models.storage.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Whatever happens to the folder, readers get the published bytes. */
final class CacheFaultsTest extends CacheFixture {
  private final CountedFile file = CountedFile.of(1, 3 * BLOCK + 17);

  private void damage(Path path, long at) throws IOException {
    byte[] content = Files.readAllBytes(path);
    content[(int) at]++;
    Files.write(path, content);
  }

  @Test
  void copy_damagedInTheMiddle_isReplacedWhileItIsRead() throws IOException {
    assertReads(cache(), file);
    damage(copy(file), BLOCK + 5);
    VersionCache cache = cache();
    try (InputStream in = open(cache, file)) {
      assertThat(in.readNBytes(BLOCK)).isEqualTo(Arrays.copyOf(file.content, BLOCK));
      assertThat(file.opens).as("the first block is good").hasValue(1);
      assertThat(in.readAllBytes())
          .isEqualTo(Arrays.copyOfRange(file.content, BLOCK, file.content.length));
    }
    assertThat(file.opens).hasValue(2);
    assertReads(cache(), file);
    assertThat(file.opens).as("the new copy is good").hasValue(2);
  }

  @Test
  void copy_damagedAnywhere_isNoticed() throws IOException {
    CountedFile small = CountedFile.of(5, 40);
    assertReads(cache(), small);
    byte[] good = Files.readAllBytes(copy(small));
    int opens = 1;
    for (int at = 0; at < good.length; at++) {
      damage(copy(small), at);
      assertReads(cache(), small);
      opens++;
      assertThat(small.opens).as("byte %d", at).hasValue(opens);
      assertThat(Files.readAllBytes(copy(small))).isEqualTo(good);
    }
    for (int length = 0; length < good.length; length++) {
      Files.write(copy(small), Arrays.copyOf(good, length));
      assertReads(cache(), small);
      opens++;
      assertThat(small.opens).as("%d bytes", length).hasValue(opens);
    }
    Files.write(copy(small), Arrays.copyOf(good, good.length + 1));
    assertReads(cache(), small);
    assertThat(small.opens).hasValue(opens + 1);
  }

  /** Writes a copy of another content of this length, with right checksums. */
  private void replaceContent(CountedFile of, int seed) throws IOException {
    CountedFile other = CountedFile.of(seed, of.content.length);
    assertReads(cache(), other);
    Files.move(copy(other), copy(of), StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void copy_ofAnotherContentWithRightChecksums_isDroppedByItsFirstReader() throws IOException {
    for (int bytes : new int[] {1, BLOCK, 3 * BLOCK + 17}) {
      CountedFile each = CountedFile.of(bytes, bytes);
      assertReads(cache(), each);
      replaceContent(each, bytes + 1);
      VersionCache cache = cache();
      try (InputStream in = open(cache, each)) {
        assertThat(in.readAllBytes()).isNotEqualTo(each.content);
      }
      assertThat(copy(each)).doesNotExist();
      assertReads(cache, each);
      assertThat(each.opens).as("it is read from the source once").hasValue(2);
      assertReads(cache(), each);
      assertThat(each.opens).as("the new copy is good").hasValue(2);
    }
  }

  @Test
  void copy_readInPart_isKept() throws IOException {
    assertReads(cache(), file);
    try (InputStream in = cache().open(file.file, "source/model.zip", file, 7, false)) {
      assertThat(in.readAllBytes())
          .isEqualTo(Arrays.copyOfRange(file.content, 7, file.content.length));
    }
    assertThat(copy(file)).exists();
    assertReads(cache(), file);
    assertThat(file.opens).hasValue(1);
  }

  @Test
  void copy_truncatedWhileItIsRead_isReplaced() throws IOException {
    assertReads(cache(), file);
    try (InputStream in = open(cache(), file)) {
      assertThat(in.readNBytes(10)).hasSize(10);
      try (FileChannel channel = FileChannel.open(copy(file), StandardOpenOption.WRITE)) {
        channel.truncate(BLOCK + 1);
      }
      assertThat(in.readAllBytes())
          .isEqualTo(Arrays.copyOfRange(file.content, 10, file.content.length));
    }
    assertThat(file.opens).hasValue(2);
    assertReads(cache(), file);
    assertThat(file.opens).hasValue(2);
  }

  @Test
  void copy_damagedAgainAndAgain_isReadFromTheSource() throws IOException {
    assertReads(cache(), file);
    damage(copy(file), BLOCK);
    FaultyCacheOperations readOnly = new FaultyCacheOperations(0, Integer.MAX_VALUE);
    assertReads(cache(LARGE, readOnly), file);
    assertThat(file.opens).hasValue(2);
    assertThat(copy(file)).as("it cannot be deleted").exists();
  }

  @Test
  void part_ofAKilledProcess_isTakenOver() throws IOException {
    Files.write(part(file), new byte[5 * BLOCK]);
    CountedFile other = CountedFile.of(2, 100);
    Files.write(part(other), new byte[50]);
    assertReads(cache(), file);
    assertThat(names()).as("the other one is deleted").containsExactly(file.name().copy());
    assertThat(pauses.pauses).hasValue(0);
  }

  @Test
  void part_ofAKilledProcess_takesNoRoom() throws IOException {
    CountedFile other = CountedFile.of(2, BLOCK);
    Files.write(part(other), new byte[BLOCK]);
    VersionCache cache = cache(CopyFormat.fileBytes(file.content.length), CacheOperations.system());
    assertReads(cache, file);
    assertThat(names()).containsExactly(file.name().copy());
  }

  @Test
  void part_ofALivingProcess_isWaitedForWhileItGrows() throws IOException {
    try (PartFile held =
        PartFile.take(CacheFolder.open(parent), file.name(), CacheOperations.system())) {
      assertThat(held).isNotNull();
      pauses.then =
          () -> {
            // Grows in the first 20 s, and not after that.
            int pause = pauses.pauses.get();
            if (pause <= 1_000) {
              grow(held, (long) pause << 20);
            }
          };
      VersionCache cache = cache();
      assertReads(cache, file);
      assertThat(pauses.pauses).as("20 s, and 10 s without progress").hasValue(1_500);
      assertThat(cache.counts()).isEqualTo(new VersionCache.Counts(0, 1, file.content.length));
      assertThat(names()).containsExactly(file.name().part());
    }
    assertThat(names()).isEmpty();
  }

  @Test
  void part_thatTrickles_isNotWaitedFor() throws IOException {
    try (PartFile held =
        PartFile.take(CacheFolder.open(parent), file.name(), CacheOperations.system())) {
      assertThat(held).isNotNull();
      pauses.then = () -> grow(held, pauses.pauses.get());
      assertReads(cache(), file);
      assertThat(pauses.pauses).as("10 s with less than 10 MiB").hasValue(500);
    }
  }

  private static void grow(PartFile part, long bytes) {
    try {
      part.write(java.nio.ByteBuffer.allocate(1), bytes - 1);
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    }
  }

  @Test
  void part_growsForEver_isWaitedForAsLongAsTheSettingsSay() throws IOException {
    try (PartFile held =
        PartFile.take(CacheFolder.open(parent), file.name(), CacheOperations.system())) {
      assertThat(held).isNotNull();
      pauses.then = () -> grow(held, (long) pauses.pauses.get() << 20);
      VersionCache cache =
          new VersionCache(
              new VersionCacheSettings(parent, LARGE, Duration.ofSeconds(30)),
              InstantSource.system(),
              pauses,
              CacheOperations.system());
      assertReads(cache, file);
      assertThat(pauses.pauses).hasValue(1_500);
    }
  }

  @Test
  void part_isCompletedMeanwhile_isRead() throws IOException {
    VersionCache writer = cache();
    InputStream ahead = open(writer, file);
    pauses.then =
        () -> {
          try {
            ahead.readAllBytes();
          } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
          }
        };
    VersionCache cache = cache();
    assertReads(cache, file);
    ahead.close();
    assertThat(cache.counts()).isEqualTo(new VersionCache.Counts(1, 0, 0));
    assertThat(pauses.pauses).hasValue(1);
    assertThat(file.opens).hasValue(1);
  }

  @Test
  void operations_failFromAnyOneOn_costOnlyTheCopy() throws IOException {
    FaultyCacheOperations all = FaultyCacheOperations.never();
    assertReads(cache(LARGE, all), file);
    Files.delete(copy(file));
    assertThat(all.operations()).isGreaterThan(5);
    for (int first = 0; first < all.operations(); first++) {
      for (int until : new int[] {first + 1, Integer.MAX_VALUE}) {
        FaultyCacheOperations faulty = new FaultyCacheOperations(first, until);
        VersionCache cache = cache(LARGE, faulty);
        try (InputStream one = open(cache, file);
            InputStream other = open(cache, file)) {
          assertThat(other.readNBytes(10)).hasSize(10);
          assertThat(one.readAllBytes()).as("from %d", first).isEqualTo(file.content);
          assertThat(other.readAllBytes()).hasSize(file.content.length - 10);
        }
        // What could not be deleted has no lock, and the next process takes it over.
        assertReads(cache(), file);
        assertThat(names()).containsExactly(file.name().copy());
        Files.delete(copy(file));
      }
    }
  }

  @Test
  void part_onAFileSystemWithoutLocks_isDeleted() throws IOException {
    CacheOperations noLocks =
        new FaultyCacheOperations(Integer.MAX_VALUE, Integer.MAX_VALUE) {
          @Override
          public FileLock tryLock(FileChannel channel) throws IOException {
            throw new IOException("No locks available");
          }
        };
    assertReads(cache(LARGE, noLocks), file);
    assertThat(names()).isEmpty();
    Files.write(part(file), new byte[5]);
    assertReads(cache(LARGE, noLocks), file);
    assertThat(names()).as("it may be another process's").containsExactly(file.name().part());
  }

  private void assertNotUsed(Path folder) throws IOException {
    VersionCache cache = new VersionCache(VersionCacheSettings.of(folder), InstantSource.system());
    int before = file.opens.get();
    assertReads(cache, file);
    assertReads(cache, file);
    assertThat(file.opens).hasValue(before + 2);
    assertThat(cache.counts()).isEqualTo(new VersionCache.Counts(0, 2, 2L * file.content.length));
  }

  @Test
  void folder_thatCannotBeUsed_isLeftAlone() throws IOException {
    Path note = Files.writeString(parent.resolve("note"), "a file");
    assertNotUsed(note);
    assertNotUsed(note.resolve("below"));
    assertThat(note).hasContent("a file");

    Path open = Files.createDirectory(parent.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertNotUsed(open);
    assertThat(open).isEmptyDirectory();
  }

  @Test
  void folder_ofTheUserIsForeign_isLeftAlone() throws IOException {
    Path own = folder();
    Path elsewhere = Files.createDirectory(parent.resolve("elsewhere"));
    Files.delete(own);
    Files.createSymbolicLink(own, elsewhere);
    assertNotUsed(parent);
    assertThat(elsewhere).isEmptyDirectory();
    Files.delete(own);
    Files.createDirectory(own);
    Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwx---"));
    assertNotUsed(parent);
    assertThat(own).isEmptyDirectory();
  }

  @Test
  void folder_isReadOnly_isLeftAlone() throws IOException {
    Path closed = Files.createDirectory(parent.resolve("closed"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-xr-xr-x"));
    assumeFalse(Files.isWritable(closed), "this user may write everywhere");
    assertNotUsed(closed);
  }

  @Test
  void folder_deletedMeanwhile_isMadeAgain() throws IOException {
    VersionCache cache = cache();
    assertReads(cache, file);
    Files.delete(copy(file));
    Files.delete(folder());
    Files.deleteIfExists(parent.resolve("nothing"));
    assertReads(cache, file);
    assertReads(cache, file);
    assertThat(file.opens).hasValue(2);
  }

  @Test
  void folder_thatIsNotThere_isMade() throws IOException {
    Path below = parent.resolve("a/b");
    VersionCache cache = new VersionCache(VersionCacheSettings.of(below), InstantSource.system());
    assertReads(cache, file);
    assertReads(cache, file);
    assertThat(file.opens).hasValue(1);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(below)))
        .isEqualTo("rwx------");
  }

  @Test
  void copy_writableByOthersOrALink_isNotRead() throws IOException {
    assertReads(cache(), file);
    Files.setPosixFilePermissions(copy(file), PosixFilePermissions.fromString("rw-rw-rw-"));
    assertReads(cache(), file);
    assertThat(file.opens).hasValue(2);
    Files.setPosixFilePermissions(copy(file), PosixFilePermissions.fromString("rw-------"));
    Path moved = Files.move(copy(file), parent.resolve("moved"));
    Files.createSymbolicLink(copy(file), moved);
    assertReads(cache(), file);
    assertThat(file.opens).hasValue(3);
  }
}
