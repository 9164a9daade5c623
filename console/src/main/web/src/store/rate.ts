/** Change of a growing number per second over the last so many milliseconds; null if that is not known. */
export function rate(times: Float64Array, values: Float64Array, windowMillis: number): number | null {
  let newest = values.length - 1;
  while (newest >= 0 && Number.isNaN(values[newest])) {
    newest--;
  }
  if (newest < 1) {
    return null;
  }
  let oldest = newest - 1;
  while (oldest > 0 && (times[newest] as number) - (times[oldest] as number) < windowMillis) {
    oldest--;
  }
  const seconds = ((times[newest] as number) - (times[oldest] as number)) / 1000;
  const change = (values[newest] as number) - (values[oldest] as number);
  return seconds > 0 && change >= 0 ? change / seconds : null;
}
