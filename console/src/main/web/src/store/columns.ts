/** Rows of numbers, stored by column, at most a fixed number of rows. A missing number is NaN. */
export class Columns {
  private readonly names: readonly string[];
  private readonly capacity: number;
  private columns: Float64Array[];
  private size = 0;

  constructor(names: readonly string[], capacity: number) {
    this.names = names;
    this.capacity = capacity;
    this.columns = names.map(() => new Float64Array(Math.min(capacity, 64)));
  }

  get length(): number {
    return this.size;
  }

  full(): boolean {
    return this.size === this.capacity;
  }

  /** The column of a name; it changes with later writes. */
  column(name: string): Float64Array {
    return this.at(this.names.indexOf(name)).subarray(0, this.size);
  }

  value(column: number, row: number): number {
    return row < 0 || row >= this.size ? Number.NaN : (this.at(column)[row] ?? Number.NaN);
  }

  set(column: number, row: number, value: number): void {
    this.at(column)[row] = value;
  }

  /** Adds a row of NaN and returns its position. There must be room. */
  add(): number {
    if (this.full()) {
      throw new RangeError('no room behind ' + this.capacity + ' rows');
    }
    if (this.size === (this.columns[0]?.length ?? 0)) {
      const larger = Math.min(this.capacity, this.size * 2);
      this.columns = this.columns.map((column) => {
        const grown = new Float64Array(larger);
        grown.set(column);
        return grown;
      });
    }
    for (const column of this.columns) {
      column[this.size] = Number.NaN;
    }
    return this.size++;
  }

  /** Removes the oldest rows. */
  dropOldest(rows: number): void {
    const dropped = Math.min(rows, this.size);
    for (const column of this.columns) {
      column.copyWithin(0, dropped, this.size);
    }
    this.size -= dropped;
  }

  /** Removes the newest rows. */
  dropNewest(rows: number): void {
    this.size -= Math.min(rows, this.size);
  }

  /** Removes every other row; the newest stays. */
  halve(): void {
    const first = (this.size + 1) % 2;
    let kept = 0;
    for (let row = first; row < this.size; row += 2) {
      for (const column of this.columns) {
        column[kept] = column[row] as number;
      }
      kept++;
    }
    this.size = kept;
  }

  private at(column: number): Float64Array {
    const found = this.columns[column];
    if (!found) {
      throw new RangeError('no such column');
    }
    return found;
  }
}
