package io.idlalayer.jobs.recovery;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.jspecify.annotations.Nullable;

/**
 * A file system of Flink for work directories. Its addresses {@code idla://<identity>/<path>} stay
 * valid when a work directory is moved. Flink names every file of a checkpoint by its address, so
 * with {@code file:} addresses a job could not be restored from a moved folder. When the stream of
 * a file is closed, the file and its name survive a power failure. So a checkpoint is complete on
 * the medium before Flink deletes an older checkpoint. Safe from any thread.
 */
public final class WorkFileSystem extends FileSystem {
  /** The scheme of the addresses in work directories. */
  public static final String SCHEME = "idla";

  /** The work directories that this process knows, by identity. */
  private static final Map<String, java.nio.file.Path> DIRECTORIES = new ConcurrentHashMap<>();

  private final URI uri;
  private final LocalFileSystem local = LocalFileSystem.getSharedInstance();

  WorkFileSystem(URI uri) {
    this.uri = URI.create(SCHEME + "://" + uri.getAuthority() + "/");
  }

  /**
   * Registers the place of a work directory. If the directory was moved, it is then found at its
   * new place.
   */
  static void register(WorkIdentity identity) {
    DIRECTORIES.put(identity.id(), identity.directory());
  }

  private java.nio.file.Path located(Path path) throws IOException {
    String id = uri.getAuthority();
    java.nio.file.Path directory = DIRECTORIES.get(id);
    if (directory == null) {
      throw new IOException(
          "the work directory %s is not known in this process: set %s"
              .formatted(id, WorkFileSystemFactory.WORK_DIRECTORY));
    }
    java.nio.file.Path found = directory.resolve(path.getPath().substring(1)).normalize();
    if (!found.startsWith(directory)) {
      throw new IOException(path + " is outside of its work directory");
    }
    return found;
  }

  private Path local(Path path) throws IOException {
    return new Path(located(path).toUri());
  }

  @Override
  public Path getWorkingDirectory() {
    return new Path(uri);
  }

  @Override
  public Path getHomeDirectory() {
    return new Path(uri);
  }

  @Override
  public URI getUri() {
    return uri;
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return new Status(local.getFileStatus(local(path)), path);
  }

  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
      throws IOException {
    return local.getFileBlockLocations(local.getFileStatus(local(file.getPath())), start, length);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return open(path);
  }

  @Override
  public FSDataInputStream open(Path path) throws IOException {
    return new BufferedInput(local.open(local(path)), BufferedInput.BYTES);
  }

  @Override
  public FileStatus @Nullable [] listStatus(Path path) throws IOException {
    FileStatus[] found = local.listStatus(local(path));
    if (found == null) {
      return null;
    }
    FileStatus[] named = new FileStatus[found.length];
    for (int i = 0; i < found.length; i++) {
      boolean itself = !found[i].isDir() && found.length == 1 && !getFileStatus(path).isDir();
      named[i] = new Status(found[i], itself ? path : new Path(path, found[i].getPath().getName()));
    }
    return named;
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return local.delete(local(path), recursive);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    java.nio.file.Path folder = located(path);
    List<java.nio.file.Path> missing = new ArrayList<>();
    java.nio.file.Path next = folder;
    while (next != null && !Files.exists(next)) {
      missing.add(next);
      next = next.getParent();
    }
    Files.createDirectories(folder);
    for (java.nio.file.Path made : missing) {
      Durable.syncFolder(made.getParent());
    }
    return true;
  }

  @Override
  public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
    java.nio.file.Path file = located(path);
    if (mode == WriteMode.NO_OVERWRITE && Files.exists(file)) {
      throw new IOException(path + " exists already");
    }
    Path parent = path.getParent();
    if (parent != null && !Files.isDirectory(located(parent))) {
      mkdirs(parent);
    }
    return new SyncedOutput(file);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    java.nio.file.Path source = located(from);
    java.nio.file.Path target = located(to);
    if (!Files.exists(source)) {
      throw new FileNotFoundException(from.toString());
    }
    Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
    Durable.syncFolder(target.getParent());
    Durable.syncFolder(source.getParent());
    return true;
  }

  @Override
  public boolean isDistributedFS() {
    return false;
  }

  /** Returns the whole content of the file at an address. */
  static byte[] bytes(URI address) throws IOException {
    Path path = new Path(address);
    try (InputStream in = path.getFileSystem().open(path)) {
      return in.readAllBytes();
    }
  }

  /** The status of a file, with the requested address instead of the local path. */
  private record Status(FileStatus found, Path path) implements FileStatus {
    @Override
    public long getLen() {
      return found.getLen();
    }

    @Override
    public long getBlockSize() {
      return found.getBlockSize();
    }

    @Override
    public short getReplication() {
      return found.getReplication();
    }

    @Override
    public long getModificationTime() {
      return found.getModificationTime();
    }

    @Override
    public long getAccessTime() {
      return found.getAccessTime();
    }

    @Override
    public boolean isDir() {
      return found.isDir();
    }

    @Override
    public Path getPath() {
      return path;
    }
  }

  /**
   * A stream that writes a file, and makes the file durable when the stream is closed. The file
   * gets its name only then, so that a process that dies leaves no truncated metadata of a
   * checkpoint.
   */
  private static final class SyncedOutput extends FSDataOutputStream {
    private final java.nio.file.Path file;
    private final java.nio.file.Path part;
    private final FileChannel channel;
    private long position;

    SyncedOutput(java.nio.file.Path file) throws IOException {
      this.file = file;
      part = file.resolveSibling("." + file.getFileName() + ".part");
      channel =
          FileChannel.open(
              part,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      ByteBuffer left = ByteBuffer.wrap(bytes, offset, length);
      while (left.hasRemaining()) {
        channel.write(left);
      }
      position += length;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void flush() {
      // This stream has no buffer.
    }

    @Override
    public void sync() throws IOException {
      channel.force(true);
    }

    @Override
    public void close() throws IOException {
      if (channel.isOpen()) {
        try (channel) {
          channel.force(true);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Durable.syncFolder(file.getParent());
      }
    }
  }
}
