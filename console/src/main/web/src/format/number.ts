/** Numbers as people read them. Spaces between a number and its unit do not break. */

export const NBSP = '\u00a0';
export const NONE = '\u2013';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const fixed = new Map<number, Intl.NumberFormat>();

function digits(places: number): Intl.NumberFormat {
  let format = fixed.get(places);
  if (!format) {
    format = new Intl.NumberFormat('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
    fixed.set(places, format);
  }
  return format;
}

export function known(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** A whole number with separators. */
export function count(value: number | null | undefined): string {
  return known(value) ? whole.format(value) : NONE;
}

/** A number with so many decimal places. */
export function decimals(value: number | null | undefined, places: number): string {
  return known(value) ? digits(places).format(value) : NONE;
}

/** Three significant digits or so; very small numbers keep their zeros, no exponents down to 1e-9. */
export function short(value: number | null | undefined, significant = 3): string {
  if (!known(value)) {
    return NONE;
  }
  const size = Math.abs(value);
  if (size === 0) {
    return '0';
  }
  if (size >= 10 ** significant) {
    return whole.format(value);
  }
  if (size < 1e-9) {
    return value.toExponential(significant - 1);
  }
  // Rounding may reach the next power of ten: 0.9999 has one digit less behind the point then.
  const rounded = Math.abs(Number(value.toPrecision(significant)));
  const places = Math.min(12, Math.max(0, significant - 1 - Math.floor(Math.log10(rounded))));
  return digits(places).format(value);
}

/** A share of 1 as percent. What is not all is never rounded to 100 %. */
export function percent(share: number | null | undefined, places = 1): string {
  if (!known(share)) {
    return NONE;
  }
  let shown = places;
  while (share < 1 && share >= 0.9 && shown < 6 && Number((share * 100).toFixed(shown)) === 100) {
    shown++;
  }
  return digits(shown).format(share * 100) + NBSP + '%';
}

/** Part of a whole as percent, nothing if there is no whole. */
export function share(part: number, all: number): number | null {
  return all > 0 ? part / all : null;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function bytes(value: number | null | undefined): string {
  if (!known(value)) {
    return NONE;
  }
  let unit = 0;
  let rest = value;
  while (Math.abs(rest) >= 1024 && unit < BYTE_UNITS.length - 1) {
    rest /= 1024;
    unit++;
  }
  const text = unit === 0 ? whole.format(rest) : short(rest);
  return text + NBSP + BYTE_UNITS[unit];
}

export function bytesPerSecond(value: number | null | undefined): string {
  return known(value) ? bytes(value) + '/s' : NONE;
}

export function perSecond(value: number | null | undefined): string {
  return known(value) ? short(value) + '/s' : NONE;
}

export function sampleSeconds(value: number | null | undefined): string {
  return known(value) ? short(value) + NBSP + 'sample-s' : NONE;
}

/** An amount in the unit of the application's prices, which has no name. */
export function money(value: number | null | undefined): string {
  return short(value);
}

/** "1 sample", "2 samples". */
export function counted(value: number, one: string, many = one + 's'): string {
  return count(value) + NBSP + (value === 1 ? one : many);
}
