package io.idlalayer.middleware.embedding.serve;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file of which one kind of call always fails. Only what writing mapped rows needs is there. */
final class FaultyChannel extends FileChannel {
  private final FileChannel file;
  private final Call fails;

  enum Call {
    WRITE,
    READ,
    MAP
  }

  FaultyChannel(FileChannel file, Call fails) {
    this.file = file;
    this.fails = fails;
  }

  private void check(Call call) throws IOException {
    if (call == fails) {
      throw new IOException("faulty " + call);
    }
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    check(Call.WRITE);
    return file.write(from);
  }

  @Override
  public int read(ByteBuffer to, long position) throws IOException {
    check(Call.READ);
    return file.read(to, position);
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    check(Call.MAP);
    return file.map(mode, position, size);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    file.close();
  }

  @Override
  public long position() throws IOException {
    return file.position();
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public int read(ByteBuffer to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer from, long position) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel position(long newPosition) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel truncate(long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void force(boolean metaData) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }
}
