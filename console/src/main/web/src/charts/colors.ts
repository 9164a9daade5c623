/** Colours of the style sheet for canvases, which cannot use its variables. */

let cache = new Map<string, string>();
let generation = 0;

/** Forgets the colours after a change of the theme; charts draw again when the number changes. */
export function themeChanged(): void {
  cache = new Map();
  generation++;
}

export function themeGeneration(): number {
  return generation;
}

export function color(name: string): string {
  let value = cache.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement)
      .getPropertyValue('--' + name)
      .trim();
    cache.set(name, value);
  }
  return value;
}

export function font(): string {
  return '12px ' + (color('font') || 'sans-serif');
}
