package io.idlalayer.middleware.embedding.store;

import java.util.Iterator;
import java.util.Map;

/** Forwards all calls to another row store. Subclasses override some of them. */
public abstract class ForwardingRowStore implements RowStore {
  private final RowStore to;

  /**
   * @param to receives all calls
   */
  protected ForwardingRowStore(RowStore to) {
    this.to = to;
  }

  @Override
  public void read(long[] rowKeys, int count, RowReader reader) {
    to.read(rowKeys, count, reader);
  }

  @Override
  public void write(Map<Long, byte[]> rows) {
    to.write(rows);
  }

  @Override
  public void remove(long[] rowKeys, int count) {
    to.remove(rowKeys, count);
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> rows() {
    return to.rows();
  }

  @Override
  public RowLog changes() {
    return to.changes();
  }

  @Override
  public RowLog history() {
    return to.history();
  }

  @Override
  public void writeFilter(Map<Long, byte[]> blocks) {
    to.writeFilter(blocks);
  }

  @Override
  public Iterator<Map.Entry<Long, byte[]>> filter() {
    return to.filter();
  }

  @Override
  public void clearFilter() {
    to.clearFilter();
  }
}
