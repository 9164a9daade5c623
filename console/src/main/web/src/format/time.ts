import { NBSP, NONE, known, short } from './number.ts';

/** A duration as people say it: 1.2 ms, 3.4 s, 2 min 5 s, 3 h 12 min, 4 d 2 h. */
export function duration(seconds: number | null | undefined): string {
  if (!known(seconds)) {
    return NONE;
  }
  const size = Math.abs(seconds);
  if (size === 0) {
    return '0' + NBSP + 's';
  }
  if (size < 0.9995e-3) {
    return short(seconds * 1e6) + NBSP + '\u00b5s';
  }
  if (size < 0.9995) {
    return short(seconds * 1e3) + NBSP + 'ms';
  }
  if (size < 59.95) {
    return short(seconds) + NBSP + 's';
  }
  const sign = seconds < 0 ? '-' : '';
  const all = Math.round(size);
  if (all < 3600) {
    return sign + pair(Math.floor(all / 60), 'min', all % 60, 's');
  }
  const minutes = Math.round(size / 60);
  if (minutes < 24 * 60) {
    return sign + pair(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  }
  const hours = Math.round(size / 3600);
  return sign + pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  const first = large + NBSP + largeUnit;
  return small === 0 ? first : first + ' ' + small + NBSP + smallUnit;
}

/** An age or a silence: whole seconds are enough, so that it does not flicker. */
export function age(seconds: number | null | undefined): string {
  if (!known(seconds)) {
    return NONE;
  }
  if (seconds < 1) {
    return 'less than 1' + NBSP + 's';
  }
  return seconds < 60 ? Math.floor(seconds) + NBSP + 's' : duration(seconds);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Time of day in the reader's zone, to the second. */
export function clock(millis: number | null | undefined): string {
  if (!known(millis)) {
    return NONE;
  }
  const at = new Date(millis);
  return two(at.getHours()) + ':' + two(at.getMinutes()) + ':' + two(at.getSeconds());
}

/** Time of day to the millisecond. */
export function clockMillis(millis: number | null | undefined): string {
  return known(millis) ? clock(millis) + '.' + String(Math.floor(millis) % 1000).padStart(3, '0') : NONE;
}

/** Day and time of day. */
export function dateTime(millis: number | null | undefined): string {
  if (!known(millis)) {
    return NONE;
  }
  const at = new Date(millis);
  return at.getFullYear() + '-' + two(at.getMonth() + 1) + '-' + two(at.getDate()) + ' ' + clock(millis);
}
