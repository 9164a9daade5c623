/** Repaints at most twice a second for news, at once for what people do, and every second for what ages. */
export class Scheduler {
  private readonly paint: () => void;
  private readonly restMillis: number;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private paintedAt = Number.NEGATIVE_INFINITY;

  constructor(paint: () => void, restMillis = 500) {
    this.paint = paint;
    this.restMillis = restMillis;
  }

  /** Something new is there. */
  news(): void {
    if (this.timer !== null) {
      return;
    }
    const wait = Math.max(0, this.paintedAt + this.restMillis - performance.now());
    this.timer = setTimeout(() => this.now(), wait);
  }

  /** Somebody did something. */
  now(): void {
    if (this.timer !== null) {
      clearTimeout(this.timer);
      this.timer = null;
    }
    this.paintedAt = performance.now();
    this.paint();
  }
}
